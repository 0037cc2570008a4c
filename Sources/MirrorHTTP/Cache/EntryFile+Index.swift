import GRDB

/// What is known of the rows of a file whose index was not made yet.
///
/// Hashes come in no order: each batch of a large first sync would change pages all over the index, and write them twice.
/// What such a sync stores it doesn't ask for again, so that the index is made of all at once: before the file is closed, or
/// when anything has to be found in it.
struct UnindexedRows: Sendable {
    private var keys = KeyFilter()
    /// Whether one key may have several rows, of which the last counts.
    private(set) var mayRepeat = false

    mutating func insert(_ hash: Int64) {
        if keys.mayContain(hash) { mayRepeat = true }
        keys.insert(hash)
    }
}

extension EntryFile {
    static func hasIndex(_ db: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'entry_hash')"
        return try Bool.fetchOne(db, sql: sql) ?? false
    }

    /// `nil` where the file has its index.
    static func unindexedRows(_ writer: DatabaseQueue) throws -> UnindexedRows? {
        try writer.read { try hasIndex($0) } ? nil : UnindexedRows()
    }

    /// - Parameter mayRepeat: whether one key may have several rows, of which only the last is kept.
    static func makeIndex(_ db: Database, mayRepeat: Bool) throws {
        if mayRepeat {
            try db.execute(
                sql: "DELETE FROM entry WHERE id NOT IN (SELECT max(id) FROM entry GROUP BY hash, variant)")
        }
        try db.execute(sql: "CREATE UNIQUE INDEX entry_hash ON entry(hash, variant)")
    }

    /// Whether rows can't be found yet.
    var lacksIndex: Bool { unindexed.withLock { $0 != nil } }

    /// Makes the index, if it isn't there. On the writer's queue; in a transaction or not.
    func makeIndex(_ db: Database) throws {
        guard let rows = unindexed.withLock({ $0 }) else { return }
        reader.refresh()
        try db.inSavepoint {
            try Self.makeIndex(db, mayRepeat: rows.mayRepeat)
            return .commit
        }
        unindexed.withLock { $0 = nil }
        reader.refresh()
    }
}
