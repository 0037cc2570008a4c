import GRDB
import GRDBSQLite
import Synchronization

/// How long SQLite's journal (the `-wal` file) is, in pages. Whoever watches it puts it into the file himself.
final class JournalLength: Sendable {
    private let length = Atomic(0)

    var pages: Int { length.load(ordering: .relaxed) }

    /// SQLite tells after each commit, instead of doing its own checkpoint. Must live longer than the connection.
    func watch(_ db: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, pages in
                if let context {
                    Unmanaged<JournalLength>.fromOpaque(context).takeUnretainedValue()
                        .length.store(Int(pages), ordering: .relaxed)
                }
                return SQLITE_OK
            }, context)
    }
}
