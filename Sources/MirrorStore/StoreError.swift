import Catalogue
import Foundation
import GRDB

/// Why a mirror's files could not be used, in one sentence that says what to do.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// A mirror can't be called so.
        case invalidName
        /// What is there is no mirror's.
        case notOurs
        /// No mirror of that name is there.
        case noSuchMirror
        /// A later version of the program made the mirror.
        case newerVersion
        /// Another program writes, and did not end in time.
        case locked
        case diskFull
        /// This user may not read it, or may not write what has to be written.
        case readOnly
        /// The database, or an object in it, can't be read.
        case damaged
        /// The log has no run of that number.
        case unknownRun
        case unexpected
        /// The store was closed before.
        case closed
        /// What was read may be of no one instant, since somebody wrote meanwhile; another try reads all of it again.
        case changed
    }

    public let code: Code
    public let message: String
    /// What the system or SQLite said, for a log.
    public let cause: String?

    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }

    /// A transaction that was begun is not there any more.
    package static let takenBack = StoreError(
        .unexpected, "The mirror's database took back what was written. Run the command again.")

    /// For an access to a store that was closed.
    static func closed(_ path: String) -> StoreError {
        StoreError(.closed, "The store of \(path) was closed. Open the mirror again to go on.")
    }

    /// For a store that sees no more of what is committed.
    static func overtaken(_ path: String) -> StoreError {
        StoreError(
            .changed,
            "\(path) was replaced, or another program has begun to write it. Open the mirror again to go on.")
    }

    /// For an object whose stored JSON can't be read.
    static func unreadable(_ object: Owner, _ error: any Error) -> StoreError {
        StoreError(
            .damaged,
            "What is stored of the \(object.kind) \(object.id) can't be read. Run mirror verify --repair, then sync.",
            cause: "\(error)")
    }

    /// For somebody who only wanted to read `path`.
    static func unreadable(_ path: String, _ error: StoreError) -> StoreError {
        guard access(path, R_OK) == 0 else {
            return StoreError(
                .readOnly, "\(path) can't be read. Check its permissions, or choose another --home.",
                cause: error.cause)
        }
        // An older format says so itself.
        guard error.cause != nil else { return error }
        return StoreError(
            .readOnly,
            "\(path) can't be read without the files that belong beside it, ending in -wal and -shm. Check their permissions, or run mirror status once as a user who may write there.",
            cause: error.cause)
    }

    /// The sentence for an error of SQLite met while working on `path`.
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
                "\(path) is a folder, and a mirror's database should be there. Move it away, or choose another --home."
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
                    "\(path) is damaged. Save the notes and edits that mirror note list and mirror album list still show, move it aside, and sync again: the server has the rest."
                )
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                (.locked, "\(path) is in use by another program. Close it and try again.")
            // GRDB's error for a transaction that SQLite rolled back while its body went on.
            case .SQLITE_ABORT: (takenBack.code, takenBack.message)
            default: (.unexpected, "The mirror at \(path) could not be read or written: \(cause).")
            }
        return StoreError(code, message, cause: cause)
    }
}
