import GRDB
import GRDBSQLite
import Synchronization

/// Reads rows of the cache's file, through a connection of its own: reading never waits for a write (WAL).
///
/// A read transaction stays open from one lookup to the next, which spares each of them SQLite's locks. Who writes ends
/// it by ``refresh()``, before and after: else the next lookups would see the past, and the journal could not begin anew.
final class EntryReader: Sendable {
    private struct Connection: ~Copyable {
        let head: EntryStatement
        let whole: EntryStatement
        let begin: EntryStatement
        let end: EntryStatement
        var isReading = false
    }

    struct Found {
        let entry: CacheEntry
        let row: Int64
        let used: Int
    }

    private let connection: Mutex<Connection>
    /// Closes the connection; behind it, so that the statements are gone by then.
    private let closing: Closing

    init(path: String) throws {
        var handle: OpaquePointer?
        // Not read-only: whichever connection closes last puts the journal into the file.
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        closing = Closing(handle: handle)
        guard code == SQLITE_OK, let handle else { throw EntryStatement.error(code, handle) }
        sqlite3_busy_timeout(handle, 5000)
        for pragma in ["PRAGMA query_only = 1", "PRAGMA cache_size = -8000"] {
            try EntryStatement(handle, pragma).run()
        }
        let condition = "FROM entry WHERE hash = ? AND key = ?"
        connection = Mutex(
            Connection(
                head: try EntryStatement(handle, "SELECT \(EntryRow.head) \(condition)"),
                whole: try EntryStatement(handle, "SELECT \(EntryRow.head), body \(condition)"),
                begin: try EntryStatement(handle, "BEGIN"), end: try EntryStatement(handle, "COMMIT")))
    }

    /// The newest row that may be chosen by its `vary`.
    func find(_ key: EntryKey, withBody: Bool, _ isWanted: @Sendable (VaryKey) -> Bool) throws -> Found? {
        try connection.withLock { connection in
            if !connection.isReading {
                try connection.begin.run()
                connection.isReading = true
            }
            return withBody
                ? try Self.find(key, in: connection.whole, withBody: true, isWanted)
                : try Self.find(key, in: connection.head, withBody: false, isWanted)
        }
    }

    /// Lets the next lookup see what is written by now.
    func refresh() {
        connection.withLock { connection in
            guard connection.isReading else { return }
            // Nothing was changed that could fail to be committed.
            try? connection.end.run()
            connection.isReading = false
        }
    }

    private static func find(
        _ key: EntryKey, in statement: borrowing EntryStatement, withBody: Bool, _ isWanted: (VaryKey) -> Bool
    ) throws -> Found? {
        statement.bind(1, key.hash)
        statement.bind(2, key.text)
        defer { statement.reset() }
        var found: Found?
        while try statement.next() {
            let vary = EntryRow.vary(statement)
            guard isWanted(vary),
                found.map({ EntryRow.responseTime(statement) >= $0.entry.responseTime }) ?? true
            else { continue }
            found = Found(
                entry: EntryRow.entry(statement, key: key.text, vary: vary, withBody: withBody),
                row: EntryRow.id(statement), used: EntryRow.used(statement))
        }
        return found
    }

    // @unchecked: the pointer is only kept for the end.
    private final class Closing: @unchecked Sendable {
        private let handle: OpaquePointer?
        init(handle: OpaquePointer?) { self.handle = handle }
        // Waits by itself for statements that are still there.
        deinit { sqlite3_close_v2(handle) }
    }
}
