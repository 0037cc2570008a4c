import Foundation
import GRDB

extension EntryFile {
    struct Found {
        let entry: CacheEntry
        let row: Int64
        let used: Int
    }

    /// The newest row that a request with these header fields may choose.
    func find(_ key: String, _ request: HeaderFields) throws -> Found? {
        try reader.unsafeRead { db in
            let statement = try db.cachedStatement(sql: Self.findSQL)
            let rows = try Row.fetchCursor(statement, arguments: [Self.hash(key), key])
            var found: Found?
            while let row = try rows.next() {
                let vary = EntryRow.vary(row)
                guard vary.matches(request),
                    found.map({ EntryRow.responseTime(row) >= $0.entry.responseTime }) ?? true
                else { continue }
                found = Found(
                    entry: try EntryRow.entry(row, key: key, vary: vary), row: EntryRow.id(row),
                    used: EntryRow.used(row))
            }
            return found
        }
    }

    private static let findSQL = "SELECT \(EntryRow.columns) FROM entry WHERE hash = ? AND key = ?"

    /// FNV-1a, 64 bits: the same in every run.
    static func hash(_ key: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }

    /// Writes a batch in one transaction.
    static func write(_ batch: EntryBatch, _ db: Database) throws {
        let remove = try db.cachedStatement(sql: "DELETE FROM entry WHERE hash = ?")
        let store = try db.cachedStatement(
            sql: """
                INSERT INTO entry (status, request_time, response_time, used, headers, body, hash, variant, key, vary)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (hash, variant) DO UPDATE SET status = excluded.status, used = excluded.used,
                request_time = excluded.request_time, response_time = excluded.response_time,
                headers = excluded.headers, body = excluded.body, key = excluded.key, vary = excluded.vary
                """)
        let update = try db.cachedStatement(
            sql: """
                UPDATE entry SET status = ?, request_time = ?, response_time = ?, used = ?, headers = ?
                WHERE hash = ? AND variant = ? AND key = ?
                """)
        let touch = try db.cachedStatement(sql: "UPDATE entry SET used = ? WHERE id = ?")
        try db.inTransaction(.immediate) {
            for (key, slot) in batch.slots {
                let hash = Self.hash(key)
                if slot.isCleared { try remove.execute(arguments: [hash]) }
                for write in slot.writes {
                    let entry = write.entry
                    let headers = EntryRow.text(entry.headers)
                    let variant = entry.vary == .none ? 0 : Self.hash(entry.vary.text)
                    if write.inserts {
                        try store.execute(arguments: [
                            entry.status, entry.requestTime, entry.responseTime, write.time, headers,
                            Data(entry.body), hash, variant, key, entry.vary.text,
                        ])
                    } else {
                        try update.execute(arguments: [
                            entry.status, entry.requestTime, entry.responseTime, write.time, headers, hash,
                            variant,
                            key,
                        ])
                    }
                }
            }
            for (row, time) in batch.touched { try touch.execute(arguments: [time, row]) }
            return .commit
        }
    }

    /// Bytes of the file that are in use; pages that wait to be used again don't count.
    static func usage(_ db: Database) throws -> Int {
        let pages = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        let free = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        return (pages - free) * pageSize
    }

    /// Deletes some of the rows that were not used for longest, and gives free pages back to the file system if the
    /// file is larger than its limit.
    ///
    /// - Returns: Whether there is more to do.
    static func evict(to target: Int, limit: Int, _ db: Database) throws -> Bool {
        var hasDeleted = false
        try db.inTransaction(.immediate) {
            for _ in 0..<16 where try usage(db) > target {
                try db.execute(
                    sql: "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY used, id LIMIT 8)")
                guard db.changesCount > 0 else { break }
                hasDeleted = true
            }
            return .commit
        }
        if hasDeleted { return true }
        let pages = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        let free = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        guard pages * pageSize > limit, free > 0 else { return false }
        try db.execute(sql: "PRAGMA incremental_vacuum(512)")
        return true
    }
}
