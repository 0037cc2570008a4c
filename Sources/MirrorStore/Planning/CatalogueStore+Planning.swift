import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// Opens a mirror for planning a run. Everything that a plan writes goes to private, temporary tables.
    ///
    /// - The store has one connection, which is read-only.
    /// - Temporary copies shadow the tables `list`, `list_member` and `meta` (SQLite looks there first), and those in which a
    ///   described source counts absences, requests and since dates. So the code that stores these works unchanged.
    /// - If there is no mirror, a private temporary database is used instead. A mirror with an older schema version is copied to
    ///   such a database and migrated there.
    /// - No file or folder is created or changed. ``PlanningFile`` removes the files that SQLite itself creates for reading.
    ///
    /// - Throws: ``StoreError``, as ``open(at:readOnly:now:)`` does.
    package static func planning(
        _ folder: MirrorFolder, kinds: Kinds = .standard, now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CatalogueStore {
        let path = folder.database
        guard folder.exists else { return try temporary(path: path, kinds: kinds, now: now) }
        do {
            let file = ReadingFile(path)
            try StoreFormat.check(file)
            let queue = try DatabaseQueue(path: file.name, configuration: configuration(readOnly: true))
            let isComplete = try queue.read { db in
                try StoreFormat.check(db, path, isReadOnly: false)
                return try Schema.isComplete(db, kinds)
            }
            guard isComplete else {
                let store = try temporary(path: path, kinds: kinds, now: now) { try queue.backup(to: $0) }
                try queue.close()
                return store
            }
            try queue.writeWithoutTransaction { db in try shadowLists(in: db) }
            return CatalogueStore(pool: queue, path: path, reading: file, now: now, kinds: kinds)
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    /// Opens a private temporary database, which SQLite deletes when it is closed.
    private static func temporary(
        path: String, kinds: Kinds, now: @escaping @Sendable () -> Date,
        fill: (DatabaseQueue) throws -> Void = { _ in }
    ) throws -> CatalogueStore {
        do {
            let queue = try DatabaseQueue(path: "", configuration: configuration(readOnly: false))
            try fill(queue)
            try Schema.prepare(queue, kinds: kinds)
            return CatalogueStore(
                pool: queue, path: path, reading: ReadingFile(path, mayWrite: true), now: now, kinds: kinds)
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    private static func configuration(readOnly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(10)
        configuration.label = "mirror plan"
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -16000") }
        return configuration
    }

    private static func shadowLists(in db: Database) throws {
        // Damaged rows may violate foreign keys. `mirror verify` reports them; a plan must not fail.
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        let statements = Schema.bookkeeping(in: Schema.version) + Schema.sources
        for table in ["list", "list_member", "meta", "since", "absence", "request_day"] {
            for sql in statements where sql.hasPrefix("CREATE TABLE \(table) ") {
                try db.execute(sql: "CREATE TEMP TABLE" + sql.dropFirst("CREATE TABLE".count))
            }
            try db.execute(sql: "INSERT INTO temp.\(table) SELECT * FROM main.\(table)")
        }
        try db.execute(sql: "CREATE INDEX temp.planned_list_of_owner ON list(owner_kind, owner_id)")
        try db.execute(sql: "PRAGMA foreign_keys = ON")
    }

    /// The number that the next run will have.
    package func nextRun() throws -> Int64 {
        try read { try $0.value(Int64.self, "SELECT coalesce(max(run), 0) + 1 FROM sync_log") ?? 1 }
    }

    /// Deletes the ETags of lists in a plan's temporary tables, because those of another server don't vouch for anything.
    package func forgetPlannedLists() throws {
        let sql = """
            UPDATE list SET etag = NULL, date = NULL, complete = 0, clean_etag = NULL, clean_formats = NULL
            """
        try write { try $0.run(sql) }
    }

    /// ETags of lists without members: some that the server sent, and the one that is computed from `[]`.
    package func emptyListETags() throws -> Set<String> {
        let sql = """
            SELECT DISTINCT etag FROM list
            WHERE members = 0 AND complete = 1 AND owner_kind <> 'partner' AND length(etag) >= 18 LIMIT 8
            """
        return try read { try $0.textSet(sql) }.union([EntityTag.strong(of: "[]")])
    }
}

/// Removes the files that a plan's connection leaves in a mirror's folder.
///
/// A read-only connection creates SQLite's side files (`-wal`, `-shm`) if they don't exist, and can't remove them. A
/// connection that may write removes them if it is the last to close. So ``restore()`` opens and closes one, if there were
/// no side files before. It writes no data.
package struct PlanningFile: Sendable {
    private let path: String
    private let hadSideFiles: Bool

    package init(_ folder: MirrorFolder) {
        path = folder.database
        hadSideFiles = !folder.exists || Self.hasSideFiles(path)
    }

    /// Removes the side files that didn't exist before. Call it after the plan's connection is closed.
    package func restore() throws {
        guard !hadSideFiles, Self.hasSideFiles(path), FileManager.default.isWritableFile(atPath: path) else {
            return
        }
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(1)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            _ = try queue.read { try $0.number("SELECT count(*) FROM sqlite_schema") }
            try queue.close()
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    private static func hasSideFiles(_ path: String) -> Bool {
        ["-wal", "-shm"].contains { FileManager.default.fileExists(atPath: path + $0) }
    }
}
