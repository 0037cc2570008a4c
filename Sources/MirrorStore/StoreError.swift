import Catalogue
import Foundation
import GRDB

/// An error about a mirror's files, with a message that says what to do.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The reason of an error.
    public enum Code: Sendable, Hashable {
        /// The name isn't allowed for a mirror.
        case invalidName
        /// The file or folder isn't a mirror's.
        case notOurs
        /// There is no mirror of that name.
        case noSuchMirror
        /// A later version of the program wrote the mirror.
        case newerVersion
        /// Another program is using the mirror, and did not finish in time.
        case locked
        /// The disk is full, or failed to read or write.
        case diskFull
        /// This user may not read the mirror, or may not write it.
        case readOnly
        /// The database, or an object in it, can't be read.
        case damaged
        /// The log has no run of that number.
        case unknownRun
        /// Any other error of SQLite or the system.
        case unexpected
        /// The store was closed before.
        case closed
        /// Another program wrote during a read, so its result may be inconsistent. Try the whole read again.
        case changed
    }

    /// The reason.
    public let code: Code
    /// What happened and what to do, for the user.
    public let message: String
    /// The message of the system or of SQLite, for a log; `nil` if there is none.
    public let cause: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The ``message``.
    public var description: String { message }

    /// SQLite has rolled back a transaction that was still in use.
    package static let rolledBack = StoreError(
        .unexpected, "The mirror's database rolled back the last changes. Run the command again.")

    /// For an access to a closed store.
    static func closed(_ path: String) -> StoreError {
        StoreError(.closed, "The store of \(path) was closed. Open the mirror again to go on.")
    }

    /// For a store that doesn't see later commits.
    static func overtaken(_ path: String) -> StoreError {
        StoreError(
            .changed,
            "\(path) was replaced, or another program has begun to write it. Open the mirror again to go on.")
    }

    /// For an object whose stored JSON can't be read.
    static func unreadable(_ object: Owner, _ error: any Error) -> StoreError {
        StoreError(
            .damaged,
            "The stored \(object.kind) \(object.id) can't be read. Run mirror verify --repair, then sync.",
            cause: "\(error)")
    }

    /// For an attempt to open `path` read-only.
    static func unreadable(_ path: String, _ error: StoreError) -> StoreError {
        guard access(path, R_OK) == 0 else {
            return StoreError(
                .readOnly, "\(path) can't be read. Check its permissions, or choose another --home.",
                cause: error.cause)
        }
        // Without a cause, the error is about the format, and its message says what to do.
        guard error.cause != nil else { return error }
        return StoreError(
            .readOnly,
            "\(path) can't be read without the files that belong beside it, ending in -wal and -shm. Check their permissions, or run mirror status once as a user who may write there.",
            cause: error.cause)
    }

    /// The error for an error of SQLite or the system while using `path`.
    package static func of(_ error: any Error, path: String) -> StoreError {
        if let error = error as? StoreError { return error }
        guard let database = error as? DatabaseError else {
            return StoreError(
                .unexpected, "The mirror at \(path) could not be read or written.", cause: "\(error)")
        }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            return StoreError(
                .notOurs,
                "\(path) is a folder, but a mirror's database should be there. Move it away, or choose another --home."
            )
        }
        let cause = database.message ?? "SQLite result \(database.resultCode.rawValue)"
        let (code, message): (Code, String) =
            switch database.resultCode.primaryResultCode {
            case .SQLITE_FULL:
                (.diskFull, "The disk that holds \(path) is full. Free some space and run the command again.")
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
                (.readOnly, "\(path) can't be written. Check its permissions, or choose another --home.")
            case .SQLITE_IOERR:
                (
                    .diskFull,
                    "The disk that holds \(path) refused to read or write. Check its free space and its health."
                )
            case .SQLITE_NOTADB, .SQLITE_CORRUPT:
                (
                    .damaged,
                    "\(path) is damaged. Save the notes and edits that mirror note list and mirror album list still show, move the file away, and sync again: the server has everything else."
                )
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                (.locked, "\(path) is in use by another program. Close it and try again.")
            // GRDB's error for a transaction that SQLite rolled back before its body ended.
            case .SQLITE_ABORT: (rolledBack.code, rolledBack.message)
            default: (.unexpected, "The mirror at \(path) could not be read or written: \(cause).")
            }
        return StoreError(code, message, cause: cause)
    }
}
