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
    private let queue = DispatchQueue(label: "mirror.fold")

    /// Opens nothing yet.
    init(path: String) { self.path = path }

    /// Begins to fold what is committed by now; returns at once. A short log is left to who closes the store.
    func begin() {
        var log = stat()
        guard stat("\(path)-wal", &log) == 0, log.st_size >= Self.least else { return }
        queue.async { [path] in Self.fold(path) }
    }

    /// Bytes of a log that are worth a connection of their own.
    private static let least = 1 << 20

    /// Returns when all that was begun has ended.
    func wait() { queue.sync {} }

    private static func fold(_ path: String) {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK
        else {
            return
        }
        // A connection that has read nothing doesn't know of a log. This reads the file's head, and not the tables' schema:
        // that took longer than all else here.
        sqlite3_exec(handle, "PRAGMA user_version", nil, nil, nil)
        // Passive: neither waits for readers or the writer nor holds them up.
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
