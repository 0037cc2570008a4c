import Foundation
import GRDB

/// Checks that a file is a mirror's database of a known version, before it is opened for writing.
///
/// The file is read only through SQLite. POSIX locks belong to the process: if this process opened and closed the file
/// itself, it would release the locks of all its SQLite connections, and another program could write at the wrong time.
enum StoreFormat {
    /// Checks a file. A file that doesn't exist, or is blank, passes unless it must have tables.
    ///
    /// - Parameter mustHaveTables: whether to refuse a database without tables.
    /// - Throws: ``StoreError``: `damaged`, `notOurs` or `newerVersion`.
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
                "\(path) is empty, but its write-ahead log is not. Opening the file would delete the log. Replace the file with a backup, or move both files away and run mirror sync."
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
                "\(path) is not a mirror database: it is not a SQLite file. Replace it with a backup, or move it away and run mirror sync, which fetches the catalogue from the server."
            )
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // A program that created the file was killed before it enabled the write-ahead log. A connection that may write
            // has to roll its transaction back first. The file is checked when one opens it.
            return
        }
    }

    /// Whether a file is shorter than any database (512 bytes), and has no write-ahead log. A missing file is not blank.
    ///
    /// Such a file remains if the process that created it was killed before it wrote, or if the disk lost its content.
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
            "\(path) is not a mirror database: it is empty or cut off. Replace it with a backup, or fetch the catalogue from the server with mirror sync and --from URL."
        )
    }

    /// Checks an open database. One without an application id passes only if it has no tables.
    ///
    /// - Parameter isReadOnly: whether the database can't be migrated, so that an older version is refused, too.
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
                "\(path) was made by a newer version of mirror (format \(version); this version reads \(Schema.version)). Update mirror to open it."
            )
        }
        guard !isReadOnly || version == Schema.version else {
            throw StoreError(
                .readOnly,
                "\(path) was made by an earlier version of mirror (format \(version); this version reads \(Schema.version)). Run mirror status once as a user who may write the file."
            )
        }
    }
}
