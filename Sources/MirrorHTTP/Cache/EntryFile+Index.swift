import GRDB

/// The index of a file that is made anew, which comes when it is needed.
///
/// Hashes come in no order: each batch of a large first sync would change pages all over the index, and write them twice.
/// What such a sync stores it doesn't ask for again, so that the index is made of all at once: before the file is closed, or
/// when anything has to be found in it. Who is stopped before that leaves it to the next.
extension EntryFile {
    static func hasIndex(_ db: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'entry_hash')"
        return try Bool.fetchOne(db, sql: sql) ?? false
    }

    /// Whether rows can't be found yet.
    var lacksIndex: Bool { !hasIndex.load(ordering: .acquiring) }

    /// Makes the index, if it isn't there. On the writer's queue, outside of a transaction.
    ///
    /// Of several rows of one key only the last is kept.
    func makeIndex(_ db: Database) throws {
        guard lacksIndex else { return }
        reader.refresh()
        // Others sort at the same time.
        for pragma in ["PRAGMA cache_size = -1000", "PRAGMA shrink_memory"] { try db.execute(sql: pragma) }
        defer { try? db.execute(sql: "PRAGMA cache_size = \(Self.cacheSize)") }
        let make = "CREATE UNIQUE INDEX entry_hash ON entry(hash, variant)"
        try db.inTransaction(.immediate) {
            do {
                try db.execute(sql: make)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                try db.execute(
                    sql:
                        "DELETE FROM entry WHERE id NOT IN (SELECT max(id) FROM entry GROUP BY hash, variant)"
                )
                try db.execute(sql: make)
            }
            return .commit
        }
        hasIndex.store(true, ordering: .releasing)
        reader.refresh()
    }
}
