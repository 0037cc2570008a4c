import Foundation
import GRDB

/// The SQLite file of a cache. It is created if there is no usable one, and may be deleted at any time.
///
/// - Rows are indexed by two hashes: of the canonical URL (`hash`) and of the request's values of the fields in `Vary`
///   (`variant`). An index of numbers has a fifth of the size of one of texts, and a batch of changes writes fewer pages.
///   The texts are compared in the row. If two rows have equal hashes, the later one replaces the earlier one.
/// - `used` is the time at which a row was last read. It is recorded once the file is half full, to the hour. The rows
///   with the smallest `used` are evicted first.
final class EntryFile: Sendable {
    let url: URL
    /// Separate connections for writing and reading, so that neither waits for the other (WAL).
    ///
    /// Both are opened at the start, so that they use the same file even if it is deleted in the meantime.
    let writer: DatabaseQueue
    let reader: DatabaseQueue
    /// Why the existing file was replaced; `nil` if it wasn't.
    let replacementReason: String?
    /// The used size when the file was opened, in bytes.
    let initialUsage: Int

    /// `MIRC` in ASCII: distinguishes cache files from other SQLite files.
    static let applicationID: Int32 = 0x4D49_5243
    static let version: Int32 = 2
    /// In bytes; twice SQLite's default, which halves the system calls when thousands of rows of 1 to 4 kB are written.
    ///
    /// Larger pages would make updates of scattered rows more expensive.
    static let pageSize = 8192
    /// The writer's page cache: 4 MB, in SQLite's notation (negative KiB).
    static let cacheSize = -4000

    /// - Throws: If no new file can be created, for example in a read-only folder or on a full disk.
    init(_ url: URL) throws {
        self.url = url
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let isNew = !FileManager.default.fileExists(atPath: url.path)
        // SQLite would apply a left-over journal to the new database.
        if isNew { Self.delete(url) }
        do {
            (writer, reader, initialUsage) = try Self.open(url)
            replacementReason = nil
        } catch  where isNew || (error as? DatabaseError)?.resultCode == .SQLITE_BUSY {
            // A busy file is used by another process, so it must not be deleted.
            throw error
        } catch {
            Self.delete(url)
            (writer, reader, initialUsage) = try Self.open(url)
            replacementReason = "\(error)"
        }
    }

    /// Deletes the file and its journals. Idempotent.
    static func delete(_ url: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            // A failure to delete shows when the file is opened.
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }

    private static func open(_ url: URL) throws -> (
        writer: DatabaseQueue, reader: DatabaseQueue, usage: Int
    ) {
        var configuration = Configuration()
        configuration.label = "cache.writer"
        configuration.busyMode = .timeout(5)
        configuration.journalMode = .wal
        configuration.prepareDatabase { db in
            // A file that a power failure leaves half-created is created again, so nothing is synced until GRDB sets the
            // journal mode, and `synchronous` to NORMAL with it. This must be first, as the statements below write.
            try db.execute(sql: "PRAGMA synchronous = OFF")
            // These two have no effect after the first table was created.
            try db.execute(sql: "PRAGMA page_size = \(pageSize)")
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "PRAGMA cache_size = \(cacheSize)")
            try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
        }
        // SQLite creates a file without write permission for the group, even if the umask allows it.
        let made = Foundation.open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if made >= 0 { Foundation.close(made) }
        let writer = try DatabaseQueue(path: url.path, configuration: configuration)
        do {
            try writer.write(prepare)
            // Not read-only: the connection that is closed last checkpoints the WAL.
            var reading = Configuration()
            reading.label = "cache.reader"
            reading.busyMode = .timeout(5)
            let reader = try DatabaseQueue(path: url.path, configuration: reading)
            return (writer, reader, try writer.read(Self.usage))
        } catch {
            try writer.close()
            throw error
        }
    }

    private static func prepare(_ db: Database) throws {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        if application == 0, found == 0, tables == 0 {
            try create(db)
            return try createIndexes(db)
        }
        guard application == applicationID else {
            throw CacheProblem(.foreignFile, "The file is not a cache.")
        }
        guard found == version else {
            throw CacheProblem(
                .otherVersion, "The cache has version \(found); this program writes \(version).")
        }
        // Throws if the table has an unexpected shape, or its first page can't be read.
        _ = try Row.fetchOne(db, sql: "SELECT \(EntryRow.columns) FROM entry LIMIT 1")
        // A file of an earlier version may lack the indexes. Throws if two rows have the same key.
        try createIndexes(db)
    }

    private static func create(_ db: Database) throws {
        try db.execute(
            sql: """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                CREATE TABLE entry (
                    id INTEGER PRIMARY KEY,
                    hash INTEGER NOT NULL,
                    variant INTEGER NOT NULL,
                    key TEXT NOT NULL,
                    vary TEXT NOT NULL,
                    status INTEGER NOT NULL,
                    request_time REAL NOT NULL,
                    response_time REAL NOT NULL,
                    used INTEGER NOT NULL,
                    headers TEXT NOT NULL,
                    body BLOB NOT NULL
                );
                """)
    }

    private static func createIndexes(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE UNIQUE INDEX IF NOT EXISTS entry_hash ON entry(hash, variant);
                CREATE INDEX IF NOT EXISTS entry_used ON entry(used);
                """)
    }
}
