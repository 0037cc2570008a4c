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
        _ folder: MirrorFolder, now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CatalogueStore {
        guard folder.exists else { return try temporary(path: folder.database, now: now) }
        let path = folder.database
        do {
            let file = ReadingFile(path)
            try StoreFormat.check(file)
            let queue = try DatabaseQueue(path: file.name, configuration: configuration(readOnly: true))
            let version = try queue.read { try StoreFormat.check($0, path, isReadOnly: false) }
            guard version == Schema.version else {
                let store = try temporary(path: path, now: now) { try queue.backup(to: $0) }
                try queue.close()
                return store
            }
            try queue.writeWithoutTransaction { db in try shadow(["list", "list_member", "meta"], in: db) }
            return CatalogueStore(pool: queue, path: path, reading: file, now: now)
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    /// A database that nobody else sees and that is gone when it is closed.
    private static func temporary(
        path: String, now: @escaping @Sendable () -> Date,
        fill: (DatabaseQueue) throws -> Void = { _ in }
    ) throws -> CatalogueStore {
        do {
            let queue = try DatabaseQueue(path: "", configuration: configuration(readOnly: false))
            try fill(queue)
            try Schema.prepare(queue)
            return CatalogueStore(
                pool: queue, path: path, reading: ReadingFile(path, mayWrite: true), now: now)
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

    private static func shadow(_ tables: [String], in db: Database) throws {
        // What is copied may be damaged: to say so is the business of `verify`.
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        for table in tables {
            guard
                let sql = Schema.bookkeeping(in: Schema.version).first(where: {
                    $0.hasPrefix("CREATE TABLE \(table) ")
                })
            else {
                throw StoreError(.unexpected, "The table \(table) is not part of a mirror.")
            }
            try db.execute(sql: "CREATE TEMP TABLE" + sql.dropFirst("CREATE TABLE".count))
            try db.execute(sql: "INSERT INTO temp.\(table) SELECT * FROM main.\(table)")
        }
        try db.execute(sql: "CREATE INDEX temp.planned_list_of_owner ON list(owner_kind, owner_id)")
        try db.execute(sql: "PRAGMA foreign_keys = ON")
    }

    /// The number that the next run will have.
    package func nextRun() throws -> Int64 {
        try read {
            try Int64.fetchOne($0.cachedStatement(sql: "SELECT coalesce(max(run), 0) + 1 FROM sync_log")) ?? 1
        }
    }

    /// Forgets the ETags of lists, as another server's vouch for nothing. For a plan: it has them to itself.
    package func forgetPlannedLists() throws {
        try write { db in
            try db.cachedStatement(
                sql:
                    "UPDATE list SET etag = NULL, date = NULL, complete = 0, clean_etag = NULL, clean_formats = NULL"
            ).execute()
        }
    }

    /// What writing a record would do.
    package func effect(of record: ObjectRecord) throws -> WriteEffect {
        try readStatement { db in
            let found = try StoredRow.find(record.kind, record.id, in: db)
            guard found?.hasLocalEdit == true else { return ObjectWriter.effect(of: record, on: found) }
            let log = try ChangeLog(db: db, run: nil, at: timestamp())
            return try AlbumArrival(log: log).rule(for: record).resolution == .update ? .updated : .ignored
        }
    }

    /// How many members of a list a sync will ask for: what is not stored, what the list says has changed, and what only
    /// asking tells.
    package func membersToFetch(
        of list: Int64, version: Int64, kind: Kind
    ) throws -> (new: Int, changed: Int, undecided: Int) {
        try readStatement { db in
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT total((o.id IS NULL OR o.ghost) AND NOT (\(Pruned.isLeftOut(kind)))),
                          total(NOT o.ghost AND m.etag IS NOT NULL AND o.etag IS NOT NULL
                            AND (o.etag <> m.etag OR o.refetch OR o.kept OR o.linked) AND NOT (\(Pruned.isLeftOut(kind)))),
                          total(NOT o.ghost AND (m.etag IS NULL OR o.etag IS NULL))
                        FROM list_member m LEFT JOIN "\(kind.table)" o ON o.id = m.id
                        WHERE m.list = ? AND m.version = ?
                        """), arguments: [list, version])
            func count(_ column: Int) -> Int { Int(row?[column] as Double? ?? 0) }
            return (count(0), count(1), count(2))
        }
    }

    /// ETags by which lists without members are known.
    package func emptyListETags() throws -> Set<String> {
        try read { db in
            let stored = try String.fetchSet(
                db.cachedStatement(
                    sql: """
                        SELECT DISTINCT etag FROM list
                        WHERE members = 0 AND complete = 1 AND owner_kind <> 'partner' AND length(etag) >= 18 LIMIT 8
                        """))
            return stored.union([EntityTag.strong(of: "[]")])
        }
    }
}
