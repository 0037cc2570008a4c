import Foundation
import GRDB

extension EntryFile {
    /// The newest row that matches the request.
    func find(_ key: String, _ request: HeaderFields) throws -> EntryRow? {
        try reader.inDatabase { db in
            let statement = try db.cachedStatement(
                sql: "SELECT \(EntryRow.columns) FROM entry WHERE hash = ? AND key = ?")
            return try Row.fetchCursor(statement, arguments: [Self.hash(key), key])
                .map { try EntryRow($0, key: key) }
                .filter { $0.entry.vary.matches(request) }
                .max { $0.entry.responseTime < $1.entry.responseTime }
        }
    }

    /// Writes a batch in one transaction.
    func write(_ batch: EntryBatch, _ db: Database) throws {
        try db.inTransaction(.immediate) {
            let remove = try db.cachedStatement(sql: "DELETE FROM entry WHERE hash = ?")
            let store = try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO entry
                    (status, request_time, response_time, used, headers, hash, variant, key, vary, body)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            let touch = try db.cachedStatement(sql: "UPDATE entry SET used = ? WHERE id = ?")
            for (key, slot) in batch.slots {
                if slot.isCleared { try remove.execute(arguments: [Self.hash(key)]) }
                for (entry, time) in slot.entries {
                    try store.execute(
                        arguments: Self.head(entry, at: time) + [entry.vary.text, Data(entry.body)])
                }
            }
            for (row, time) in batch.touched { try touch.execute(arguments: [time, row]) }
            return .commit
        }
    }

    /// Updates a row's status, times and header fields if it still contains the response `base`.
    func update(_ entry: CacheEntry, of base: CacheEntry, at time: Int, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE entry SET status = ?, request_time = ?, response_time = ?, used = ?, headers = ?
                WHERE hash = ? AND variant = ? AND key = ? AND request_time = ? AND response_time = ?
                """)
        try statement.execute(arguments: Self.head(entry, at: time) + [base.requestTime, base.responseTime])
    }

    /// The first parameters of the statements that write an entry.
    private static func head(_ entry: CacheEntry, at time: Int) -> StatementArguments {
        [
            entry.status, entry.requestTime, entry.responseTime, time, EntryRow.text(entry.headers),
            hash(entry.key), entry.vary == .none ? 0 : hash(entry.vary.text), entry.key,
        ]
    }

    /// A 64-bit FNV-1a hash, which is the same in every process.
    private static func hash(_ text: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }

    /// The used size of the file in bytes, without free pages.
    static func usage(_ db: Database) throws -> Int {
        try (pages("page_count", db) - pages("freelist_count", db)) * pageSize
    }

    private static func pages(_ pragma: String, _ db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "PRAGMA \(pragma)")) ?? 0
    }

    func removeAll(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM entry")
        try db.execute(sql: "PRAGMA incremental_vacuum")
    }

    func removeAll(since time: Double, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM entry WHERE response_time >= ?", arguments: [time])
    }

    /// Deletes some of the least recently used rows. If nothing is left to delete and the file is larger than its limit,
    /// returns some free pages to the file system.
    ///
    /// - Parameters:
    ///   - target: The used size to reach, in bytes.
    ///   - limit: The maximum size of the file, in bytes.
    /// - Returns: Whether there is more to do.
    func evict(to target: Int, limit: Int, _ db: Database) throws -> Bool {
        var hasDeleted = false
        try db.inTransaction(.immediate) {
            for _ in 0..<16 where try Self.usage(db) > target {
                try db.execute(
                    sql: "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY used, id LIMIT 8)")
                guard db.changesCount > 0 else { break }
                hasDeleted = true
            }
            return .commit
        }
        if hasDeleted { return true }
        guard try Self.pages("page_count", db) * Self.pageSize > limit,
            try Self.pages("freelist_count", db) > 0
        else { return false }
        try db.execute(sql: "PRAGMA incremental_vacuum(512)")
        return true
    }
}

/// An entry as a row of the file. The header fields are stored as text, one per line.
struct EntryRow {
    let id: Int64
    let used: Int
    let entry: CacheEntry

    static let columns = "id, used, vary, status, request_time, response_time, headers, body"

    /// - Throws: `SQLITE_CORRUPT` for a value of an unexpected type, which a damaged file may contain.
    init(_ row: Row, key: String) throws {
        id = try Self.value(row, 0)
        used = try Self.value(row, 1)
        entry = CacheEntry(
            key: key, status: try Self.value(row, 3), headers: Self.headers(try Self.value(row, 6)),
            body: [UInt8](try Self.value(row, 7) as Data),
            requestTime: try Self.value(row, 4), responseTime: try Self.value(row, 5),
            vary: VaryKey(text: try Self.value(row, 2)))
    }

    private static func value<Value: DatabaseValueConvertible>(_ row: Row, _ column: Int) throws -> Value {
        guard let value = Value.fromDatabaseValue(row[column]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "A row of the cache is damaged.")
        }
        return value
    }

    static func text(_ headers: HeaderFields) -> String {
        headers.lines.map { "\(FieldList.onOneLine($0.name)):\(FieldList.onOneLine($0.value))\n" }.joined()
    }

    private static func headers(_ text: String) -> HeaderFields {
        HeaderFields(
            text.utf8.split(separator: 0x0A).compactMap { line in
                line.firstIndex(of: 0x3A).map {
                    (String(Substring(line[..<$0])), String(Substring(line[$0...].dropFirst())))
                }
            })
    }
}
