import Foundation
import GRDB

/// Looks at a SQLite file before anything that may change it opens it.
///
/// Through SQLite, never by reading the file: closing any descriptor of it would let go of all locks that this process
/// holds on it, in whatever connection (POSIX locks belong to the process), and another program would take the database
/// for unused.
enum StoreFormat {
    /// - Parameter mustHaveTables: whether a database in which nothing is, not even a table, is refused, too.
    static func check(_ file: ReadingFile, mustHaveTables: Bool = false) throws {
        let path = file.path
        guard !isBlank(path) else {
            guard mustHaveTables else { return }
            throw blank(path)
        }
        guard let size = size(path) else { return }
        guard size > 0 else {
            // SQLite would remove the log as soon as it opens the file.
            throw StoreError(
                .damaged,
                "\(path) is empty, but its write-ahead log beside it is not, and would be lost if the file were opened. Put a backup in its place, or move both aside and run mirror sync."
            )
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        do {
            let queue = try DatabaseQueue(path: file.name, configuration: configuration)
            defer { try? queue.close() }
            try queue.read { db in
                try check(db, path, isReadOnly: false)
                if mustHaveTables, try Schema.isEmpty(db) { throw blank(path) }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw StoreError(
                .damaged,
                "\(path) is not a mirror database: it is not a SQLite file. Put a backup in its place, or move it aside and run mirror sync, which fetches what the server has."
            )
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // Whoever wrote it was killed before it had a write-ahead log. What was begun is rolled back by the next who may
            // write, and looked at then.
            return
        }
    }

    /// Whether a file is shorter than any database (512 bytes), and has no write-ahead log either: what is left where the process that made it was killed
    /// before it wrote, or where a disk lost what it held. A file that isn't there is not blank.
    static func isBlank(_ path: String) -> Bool {
        guard let size = size(path) else { return false }
        return size < 512 && self.size("\(path)-wal") ?? 0 == 0
    }

    private static func size(_ path: String) -> Int? {
        try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }

    static func blank(_ path: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) is empty or cut short, and so is not a mirror database. Put a backup in its place, or fetch what the server has with mirror sync and --from URL."
        )
    }

    /// A file that says nothing of its program is ours only if it is empty.
    ///
    /// - Parameter isReadOnly: the file can't be brought to this version's format.
    static func check(_ db: Database, _ path: String, isReadOnly: Bool) throws {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard
            try application == Schema.applicationID || (application, version) == (0, 0) && Schema.isEmpty(db)
        else {
            throw StoreError(
                .notOurs,
                "\(path) is not a mirror database: it belongs to another program. Choose another --home.")
        }
        guard version <= Schema.version else {
            throw StoreError(
                .newerVersion,
                "\(path) was made by a newer version of mirror (format \(version), this one knows \(Schema.version)). Update mirror to open it."
            )
        }
        guard !isReadOnly || version == Schema.version else {
            throw StoreError(
                .readOnly,
                "\(path) was made by an earlier version of mirror (format \(version), this one reads \(Schema.version)). Run mirror status once as somebody who may write it."
            )
        }
    }
}
