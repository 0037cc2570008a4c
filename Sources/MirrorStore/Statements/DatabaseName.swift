import Foundation

/// How a database is named to SQLite.
enum DatabaseName {
    /// The path, or, on a disk that can't be written, a URI that says so: where there is no write-ahead log, SQLite would have
    /// to make one before it could read. Nobody else writes there either, which is what `immutable` promises
    /// (<https://sqlite.org/uri.html>).
    static func forReading(_ path: String) -> String {
        var volume = statvfs()
        guard statvfs(path, &volume) == 0, volume.f_flag & UInt(ST_RDONLY) != 0, !hasLog(path),
            let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
        else { return path }
        return "file:\(escaped)?immutable=1"
    }

    private static func hasLog(_ path: String) -> Bool {
        var log = stat()
        return stat("\(path)-wal", &log) == 0 && log.st_size > 0
    }
}
