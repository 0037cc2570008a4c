import Foundation
import GRDB
import GRDBSQLite

extension EntryFile {
    /// Writes a batch in one transaction.
    func write(_ batch: EntryBatch, _ db: Database) throws {
        reader.refresh()
        defer { settle(db) }
        try db.inTransaction(.immediate) {
            let remove = try EntryStatement(db, kept: "DELETE FROM entry WHERE hash = ?")
            let store = try EntryStatement(db, kept: Self.storeSQL)
            let update = try EntryStatement(db, kept: Self.updateSQL)
            let touch = try EntryStatement(db, kept: "UPDATE entry SET used = ? WHERE id = ?")
            var headers: [UInt8] = []
            for slot in batch.slots {
                if slot.isCleared {
                    remove.bind(1, slot.key.hash)
                    try remove.run()
                }
                for write in slot.writes {
                    EntryRow.write(write.entry.headers, to: &headers)
                    try headers.withUnsafeBytes { headers in
                        if let base = write.base {
                            update.bind(9, base.requestTime)
                            update.bind(10, base.responseTime)
                            try Self.run(update, write, slot.key, headers, body: nil)
                        } else {
                            try Self.run(store, write, slot.key, headers, body: write.entry.body)
                        }
                    }
                }
            }
            for (row, time) in batch.touched {
                touch.bind(1, Int64(time))
                touch.bind(2, row)
                try touch.run()
            }
            return .commit
        }
    }

    /// After a change: lets the reader see it, and puts the journal into the file once it is long.
    ///
    /// Not at the commit itself, where SQLite would do it: a reader that still sees the past may keep the last pages out,
    /// and a journal that is never put in whole never begins anew.
    private func settle(_ db: Database) {
        if journal.pages >= Self.longestJournal { fold(db) } else { reader.refresh() }
    }

    /// Puts the journal into the file and syncs it, so that closing has nothing left to do.
    func fold(_ db: Database) {
        guard let connection = db.sqliteConnection else { return }
        reader.refresh()
        // Whatever keeps it from being done now, the next change tries again, or who closes the file.
        sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
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

    /// The parameters of both statements begin alike.
    private static func run(
        _ statement: borrowing EntryStatement, _ write: EntryBatch.Write, _ key: EntryKey,
        _ headers: UnsafeRawBufferPointer, body: [UInt8]?
    ) throws {
        let entry = write.entry
        statement.bind(1, Int64(entry.status))
        statement.bind(2, entry.requestTime)
        statement.bind(3, entry.responseTime)
        statement.bind(4, Int64(write.time))
        statement.bind(5, borrowedText: headers)
        statement.bind(6, key.hash)
        statement.bind(7, entry.vary == .none ? 0 : EntryKey.hash(entry.vary.text))
        statement.bind(8, key.text)
        guard let body else { return try statement.run() }
        statement.bind(9, entry.vary.text)
        try body.withUnsafeBytes {
            statement.bind(10, borrowed: $0)
            try statement.run()
        }
    }

    /// Bytes of the file that are in use; pages that wait to be used again don't count.
    static func usage(_ db: Database) throws -> Int {
        let pages = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        let free = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
        return (pages - free) * pageSize
    }

    func removeAll(_ db: Database) throws {
        reader.refresh()
        defer { settle(db) }
        try db.execute(sql: "DELETE FROM entry")
        try db.execute(sql: "PRAGMA incremental_vacuum")
    }

    func removeAll(since time: Double, _ db: Database) throws {
        reader.refresh()
        defer { settle(db) }
        try db.execute(sql: "DELETE FROM entry WHERE response_time >= ?", arguments: [time])
    }

    /// Deletes some of the rows that were not used for longest, and gives free pages back to the file system if the
    /// file is larger than its limit.
    ///
    /// - Returns: Whether there is more to do.
    func evict(to target: Int, limit: Int, _ db: Database) throws -> Bool {
        reader.refresh()
        defer { settle(db) }
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
