import Foundation

/// How a database is named to SQLite.
enum DatabaseName {
    /// The path, or, on a disk that can't be written, a URI that says so: where there is no write-ahead log, SQLite would have
    /// to make one before it could read. Nobody else writes there either, which is what `immutable` promises
    /// (<https://sqlite.org/uri.html>).
    static func forReading(_ path: String) -> String {
        var volume = statvfs()
        guard statvfs(path, &volume) == 0, volume.f_flag & UInt(ST_RDONLY) != 0, !hasLog(path),
            let escaped = escaped(path)
        else { return path }
        return "file:\(escaped)?immutable=1"
    }

    /// A URI for one that is there, and is not to be made; `nil` for a path that can't be one.
    static func ofExisting(_ path: String) -> String? {
        guard path.hasPrefix("/"), let escaped = escaped(path) else { return nil }
        return "file:\(escaped)?mode=rw"
    }

    private static func escaped(_ path: String) -> String? {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
    }

    private static func hasLog(_ path: String) -> Bool {
        var log = stat()
        return stat("\(path)-wal", &log) == 0 && log.st_size > 0
    }
}
