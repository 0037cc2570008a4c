import Foundation
import GRDB

extension EntryFile {
    /// The newest row that may be chosen by its `vary`.
    func find(_ key: EntryKey, withBody: Bool, _ isWanted: (VaryKey) -> Bool) throws -> EntryRow? {
        try reader.inDatabase { db in
            let columns = withBody ? EntryRow.head + ", body" : EntryRow.head
            let statement = try db.cachedStatement(
                sql: "SELECT \(columns) FROM entry WHERE hash = ? AND key = ?")
            let rows = try Row.fetchCursor(statement, arguments: [key.hash, key.text])
            var found: EntryRow?
            while let row = try rows.next() {
                let next = try EntryRow(row, key: key.text, withBody: withBody)
                guard isWanted(next.entry.vary),
                    found.map({ next.entry.responseTime >= $0.entry.responseTime }) ?? true
                else { continue }
                found = next
            }
            return found
        }
    }

    /// Writes a batch in one transaction.
    func write(_ batch: EntryBatch, _ db: Database) throws {
        try db.inTransaction(.immediate) {
            let remove = try db.cachedStatement(sql: "DELETE FROM entry WHERE hash = ?")
            let store = try db.cachedStatement(sql: Self.storeSQL)
            let update = try db.cachedStatement(sql: Self.updateSQL)
            let touch = try db.cachedStatement(sql: "UPDATE entry SET used = ? WHERE id = ?")
            for slot in batch.slots {
                let key = slot.key
                if slot.isCleared { try remove.execute(arguments: [key.hash]) }
                for write in slot.writes {
                    let entry = write.entry
                    let variant = entry.vary == .none ? 0 : EntryKey.hash(entry.vary.text)
                    // The parameters of both statements begin alike.
                    let common: StatementArguments = [
                        entry.status, entry.requestTime, entry.responseTime, write.time,
                        EntryRow.text(entry.headers), key.hash, variant, key.text,
                    ]
                    if let base = write.base {
                        try update.execute(arguments: common + [base.requestTime, base.responseTime])
                    } else {
                        try store.execute(arguments: common + [entry.vary.text, Data(entry.body)])
                    }
                }
            }
            for (row, time) in batch.touched { try touch.execute(arguments: [time, row]) }
            return .commit
        }
    }

    private static let storeSQL = """
        INSERT INTO entry
        (status, request_time, response_time, used, headers, hash, variant, key, vary, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (hash, variant) DO UPDATE SET status = excluded.status, used = excluded.used,
        request_time = excluded.request_time, response_time = excluded.response_time,
        headers = excluded.headers, body = excluded.body, key = excluded.key, vary = excluded.vary
        """

    private static let updateSQL = """
        UPDATE entry SET status = ?, request_time = ?, response_time = ?, used = ?, headers = ?
        WHERE hash = ? AND variant = ? AND key = ? AND request_time = ? AND response_time = ?
        """

    /// Bytes of the file that are in use; pages that wait to be used again don't count.
    static func usage(_ db: Database) throws -> Int {
        let pages = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        let free = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        return (pages - free) * pageSize
    }

    func removeAll(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM entry")
        try db.execute(sql: "PRAGMA incremental_vacuum")
    }

    func removeAll(since time: Double, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM entry WHERE response_time >= ?", arguments: [time])
    }

    /// Deletes some of the rows that were not used for longest, and gives free pages back to the file system if the
    /// file is larger than its limit.
    ///
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
        let pages = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        let free = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        guard pages * Self.pageSize > limit, free > 0 else { return false }
        try db.execute(sql: "PRAGMA incremental_vacuum(512)")
        return true
    }
}
