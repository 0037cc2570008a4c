import Foundation

/// A database's file as somebody opens it who only reads it.
///
/// Beside a database with a write-ahead log SQLite needs two more files, `-wal` and `-shm`: a reader finds them there, or has
/// to make them (<https://sqlite.org/wal.html#read_only_databases>). SQLite's own command takes them away when it ends. For
/// who may not make them, or would make them as files that the database's owner can't write, there is `immutable`
/// (<https://sqlite.org/uri.html>): SQLite then takes no locks and sees no change. So the file is looked at again behind every
/// access: what was read of a file that was changed meanwhile never counts.
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

    /// Whether it would be opened in the same way again: nobody has begun to write.
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

    /// Without a log nobody is connected, and an empty one says nothing: then there is nothing to lock against. A log without
    /// its `-shm` has to be read all the same, and SQLite says whether that is possible.
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
