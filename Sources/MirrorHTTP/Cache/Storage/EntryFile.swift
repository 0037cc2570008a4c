import Foundation
import GRDB

/// The SQLite file of a cache: opened, or created where there is none that can be used.
///
/// Rows are found by a hash of the canonical URL, and one of the request's values of the fields in `Vary`: an index of
/// numbers is a fifth of one of texts, and a batch of changes touches fewer of its pages. The texts are compared in the
/// row; of two with equal hashes the later is kept. `used` is when a row was last read, known to the hour once the file is
/// half full; the rows of the smallest go first. The file may be thrown away at any time.
final class EntryFile: Sendable {
    let url: URL
    /// Writing goes through one connection and reading through another: neither waits for the other (WAL). Both are
    /// open from the start, so that a file that is deleted meanwhile is still one file to them.
    let writer: DatabaseQueue
    let reader: DatabaseQueue
    /// Why the file that was there was thrown away, if one was.
    let replaced: String?
    /// Bytes in use when it was opened.
    let firstUsage: Int

    /// `MIRC`: tells our files from other SQLite files.
    static let applicationID: Int32 = 0x4D49_5243
    static let version: Int32 = 2
    /// Twice SQLite's default: half the calls to the kernel where thousands of rows of 1 to 4 kB are written at once.
    /// Still larger ones would make an update of rows that don't lie side by side dearer.
    static let pageSize = 8192
    /// What the writer keeps in memory, as SQLite counts it: 4 MB.
    static let cacheSize = -4000

    /// - Throws: What kept a new file from being made (a folder that can't be written, a full disk).
    init(_ url: URL) throws {
        self.url = url
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let isNew = !FileManager.default.fileExists(atPath: url.path)
        // A journal without its database would be played into the new one.
        if isNew { Self.delete(url) }
        do {
            (writer, reader, firstUsage) = try Self.open(url)
            replaced = nil
        } catch  where isNew || (error as? DatabaseError)?.resultCode == .SQLITE_BUSY {
            // Busy: another process uses it, and goes on using it.
            throw error
        } catch {
            Self.delete(url)
            (writer, reader, firstUsage) = try Self.open(url)
            replaced = "\(error)"
        }
    }

    /// Deletes the file and what SQLite keeps beside it; what isn't there is no failure.
    static func delete(_ url: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            // What can't be deleted shows when the file is opened.
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
            // Until the journal's mode is set, which sets it to NORMAL: a file that a power cut leaves half made is created again.
            // First of all: the next statement but one writes.
            try db.execute(sql: "PRAGMA synchronous = OFF")
            // These two before the first table, or they have no effect.
            try db.execute(sql: "PRAGMA page_size = \(pageSize)")
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "PRAGMA cache_size = \(cacheSize)")
            try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
        }
        // SQLite makes a file that a group can't write, even if the umask allows it.
        let made = Foundation.open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if made >= 0 { Foundation.close(made) }
        let writer = try DatabaseQueue(path: url.path, configuration: configuration)
        do {
            try writer.write(prepare)
            // Not read-only: whichever connection closes last puts the journal into the file.
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
        // Fails if the table isn't as we made it, or its first page can't be read.
        _ = try Row.fetchOne(db, sql: "SELECT \(EntryRow.columns) FROM entry LIMIT 1")
        // A file of an earlier version may lack them. Two rows of one key make this fail.
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
