import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// Opens a mirror for planning a run: everything that a plan writes stays in private, temporary tables.
    ///
    /// One connection that may not write the file. The tables `list`, `list_member` and `meta` are shadowed by
    /// temporary copies (SQLite looks there first), so that what takes lists in runs unchanged. Where there is no
    /// mirror, a private temporary database stands for it; a mirror in an older format is copied there and brought
    /// up to date. No file or folder is made or changed; what SQLite itself puts beside a database while it is read
    /// is taken away again by ``PlanningFile``.
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

    /// A database that nobody else sees and that is gone when it is closed.
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
        // What is copied may be damaged: to say so is the business of `verify`.
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        let statements = Schema.bookkeeping(in: Schema.version)
        for table in ["list", "list_member", "meta"] {
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

    /// Forgets the ETags of lists, as another server's vouch for nothing. For a plan: it has them to itself.
    package func forgetPlannedLists() throws {
        let sql = """
            UPDATE list SET etag = NULL, date = NULL, complete = 0, clean_etag = NULL, clean_formats = NULL
            """
        try write { try $0.run(sql) }
    }

    /// ETags by which lists without members are known.
    package func emptyListETags() throws -> Set<String> {
        let sql = """
            SELECT DISTINCT etag FROM list
            WHERE members = 0 AND complete = 1 AND owner_kind <> 'partner' AND length(etag) >= 18 LIMIT 8
            """
        return try read { try $0.textSet(sql) }.union([EntityTag.strong(of: "[]")])
    }
}

/// Leaves a mirror's folder as it was found.
///
/// A connection that may not write makes SQLite's two side files (`-wal`, `-shm`) where there are none, and can't take
/// them away. One that may, does so when it is the last to close: so that is what happens at the end, if they were not
/// there before. Nothing is written by it.
package struct PlanningFile: Sendable {
    private let path: String
    private let hadSideFiles: Bool

    package init(_ folder: MirrorFolder) {
        path = folder.database
        hadSideFiles = !folder.exists || Self.hasSideFiles(path)
    }

    /// Called when the plan's connection is closed.
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
