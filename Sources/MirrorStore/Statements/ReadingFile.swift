import Foundation

/// A database's file that is opened only for reading.
///
/// Beside a database with a write-ahead log SQLite needs two more files, `-wal` and `-shm`: a reader needs them to
/// exist, or has to make them (<https://sqlite.org/wal.html#read_only_databases>). SQLite's own command removes them when it
/// ends. A user without permission to make them, or whose files the database's owner couldn't write, opens the database as
/// `immutable` (<https://sqlite.org/uri.html>): SQLite then takes no locks and sees no changes. So the file is checked again
/// after every access, and what was read of a file that changed meanwhile is discarded.
struct ReadingFile: Sendable {
    let path: String
    /// The file as it was when it was opened without locks; `nil` where SQLite's locks are used.
    private let unlocked: FileState?
    private let mayWrite: Bool

    init(_ path: String) { self.init(path, mayWrite: Self.mayWrite(path)) }

    init(_ path: String, mayWrite: Bool) {
        self.path = path
        self.mayWrite = mayWrite
        unlocked = mayWrite || Self.hasLog(path) ? nil : FileState(path)
    }

    /// How it is named to SQLite.
    var name: String {
        guard unlocked != nil,
            let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
        else { return path }
        return "file:\(escaped)?immutable=1"
    }

    /// Whether what was read since it was opened is what was in the file at that time.
    var isUnchanged: Bool { unlocked.map { $0 == FileState(path) } ?? true }

    /// Whether it would be opened in the same way again: no program has begun to write.
    var isCurrent: Bool { unlocked == nil || (isUnchanged && !Self.hasLog(path)) }

    /// Whether it would be opened otherwise now: another program has begun, or ended, meanwhile.
    var isOvertaken: Bool { !isUnchanged || (unlocked == nil) != (mayWrite || Self.hasLog(path)) }

    /// One access to it, which counts only if nothing was changed meanwhile; nor does an error count that a change may have
    /// caused.
    func read<T>(_ body: () throws -> T) throws -> T {
        let result = Result { try body() }
        guard isUnchanged else {
            throw StoreError(.changed, "\(path) was changed while it was read. Run the command again.")
        }
        return try result.get()
    }

    /// Whether this user may write the database, and so makes and takes away the files beside it as its owner would.
    static func mayWrite(_ path: String) -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        guard access(path, W_OK) == 0, access(folder.isEmpty ? "." : folder, W_OK) == 0 else { return false }
        return ["-wal", "-shm"].allSatisfy { access(path + $0, F_OK) != 0 || access(path + $0, W_OK) == 0 }
    }

    /// Without a log no writer is connected, and an empty one contains nothing: then no locks are needed. A log without its
    /// `-shm` has to be read, too, and SQLite reports whether that is possible.
    private static func hasLog(_ path: String) -> Bool {
        guard let log = FileState(path + "-wal") else { return false }
        return log.size > 0 || FileState(path + "-shm") != nil
    }
}

/// By which a change of a file shows.
private struct FileState: Hashable {
    let size: Int64
    private let place: FilePlace
    private let seconds: Int
    private let nanoseconds: Int

    /// `nil` where there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, let place = FilePlace(path) else { return nil }
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
