import Foundation

/// A database file that is opened only for reading.
///
/// A database with a write-ahead log has two more files, `-wal` and `-shm`. They must exist, or the reader must create them
/// (<https://sqlite.org/wal.html#read_only_databases>); SQLite removes them when the last connection closes.
///
/// Some users may not create these files, or would create files that the database's owner can't write. For them the
/// database is opened as `immutable` (<https://sqlite.org/uri.html>): SQLite then takes no locks and doesn't notice changes.
/// So the file is checked after every access, and the result is discarded if the file has changed.
struct ReadingFile: Sendable {
    let path: String
    /// The state of the file when it was opened without locks; `nil` if SQLite's locks are used.
    private let unlocked: FileState?
    private let mayWrite: Bool

    init(_ path: String) { self.init(path, mayWrite: Self.mayWrite(path)) }

    init(_ path: String, mayWrite: Bool) {
        self.path = path
        self.mayWrite = mayWrite
        unlocked = mayWrite || Self.hasLog(path) ? nil : FileState(path)
    }

    /// The file name or URI that SQLite opens.
    var name: String {
        guard unlocked != nil,
            let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
        else { return path }
        return "file:\(escaped)?immutable=1"
    }

    /// Whether the file is the same as when it was opened; always true if SQLite's locks are used.
    var isUnchanged: Bool { unlocked.map { $0 == FileState(path) } ?? true }

    /// Whether the file is unchanged and no program has started to write.
    var isCurrent: Bool { unlocked == nil || (isUnchanged && !Self.hasLog(path)) }

    /// Whether the file has to be opened again: it changed, or another program opened or closed it since.
    var isOvertaken: Bool { !isUnchanged || (unlocked == nil) != (mayWrite || Self.hasLog(path)) }

    /// Reads the file. If it changes during the access, the result or error of `body` is discarded.
    ///
    /// - Throws: ``StoreError/Code/changed`` if the file changed; otherwise what `body` throws.
    func read<T>(_ body: () throws -> T) throws -> T {
        let result = Result { try body() }
        guard isUnchanged else {
            throw StoreError(.changed, "\(path) was changed while it was read. Run the command again.")
        }
        return try result.get()
    }

    /// Whether this user may write the database and the files beside it, so that SQLite can open it in the ordinary way.
    static func mayWrite(_ path: String) -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        guard access(path, W_OK) == 0, access(folder.isEmpty ? "." : folder, W_OK) == 0 else { return false }
        return ["-wal", "-shm"].allSatisfy { access(path + $0, F_OK) != 0 || access(path + $0, W_OK) == 0 }
    }

    /// Whether there is a write-ahead log that SQLite has to read, or a program that may write to one.
    ///
    /// Without a log no writer is connected, and an empty log has no content: no locks are needed. A log with content but
    /// without its `-shm` must still be read; SQLite reports whether it can.
    private static func hasLog(_ path: String) -> Bool {
        guard let log = FileState(path + "-wal") else { return false }
        return log.size > 0 || FileState(path + "-shm") != nil
    }
}

/// The attributes that show whether a file has changed: its inode, size and time of change.
private struct FileState: Hashable {
    let size: Int64
    private let place: FileIdentity
    private let seconds: Int
    private let nanoseconds: Int

    /// `nil` where there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, let place = FileIdentity(path) else { return nil }
        self.place = place
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let changed = status.st_ctimespec
        #else
            let changed = status.st_ctim
        #endif
        (seconds, nanoseconds) = (changed.tv_sec, changed.tv_nsec)
    }
}
