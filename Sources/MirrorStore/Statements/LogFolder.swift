import Dispatch
import Foundation
import GRDBSQLite

/// Folds the write-ahead log into the database's file while the writer goes on writing.
///
/// At the end of a run the log holds all that the run stored. To sync it, to copy its pages and to sync the file takes as
/// long as a good part of what the run itself still has to do then, most of it waiting for the disk: it is done beside
/// that, so that closing the store has little left to fold. What can't be folded now is folded by the next who tries.
final class LogFolder: Sendable {
    private let path: String
    private let least: Int
    private let queue = DispatchQueue(label: "mirror.fold")

    /// Opens nothing yet.
    ///
    /// - Parameter least: bytes of a log that are worth a connection of their own; 1 MiB unless told otherwise.
    init(path: String, least: Int = 1 << 20) {
        self.path = path
        self.least = least
    }

    /// Begins to fold what is committed by now; returns at once. A short log is left to who closes the store.
    func begin() {
        var log = stat()
        guard stat("\(path)-wal", &log) == 0, log.st_size >= least else { return }
        queue.async { [path] in Self.fold(path) }
    }

    /// Returns when all that was begun has ended.
    func wait() { queue.sync {} }

    private static func fold(_ path: String) {
        let guardian = open(path), folding = open(path)
        defer {
            sqlite3_close_v2(folding)
            sqlite3_close_v2(guardian)
        }
        guard let guardian, let folding else { return }
        // Whoever folds a log that is folded already, while a commit begins it anew, takes the new one for folded as well,
        // and its pages are lost (SQLite's "WAL-reset bug", mended in 3.51.3). Beside a reader that can't be: one that reads
        // of the log keeps it from being begun anew, and one that needs only the file keeps the file from being written.
        guard execute("BEGIN", guardian), execute("PRAGMA user_version", guardian) else { return }
        // A connection that has read nothing doesn't know of a log. This reads the file's head, and not the tables' schema:
        // that took longer than all else here.
        guard execute("PRAGMA user_version", folding) else { return }
        // Passive: neither waits for readers or the writer nor holds them up.
        sqlite3_wal_checkpoint_v2(folding, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    private static func open(_ path: String) -> OpaquePointer? {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else {
            sqlite3_close_v2(handle)
            return nil
        }
        return handle
    }

    private static func execute(_ sql: String, _ handle: OpaquePointer) -> Bool {
        sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    }
}
