import Catalogue
import GRDB

/// The tables of `mirror.sqlite`.
///
/// Names are those of the API: tables have its singular names, columns the names of its fields, and `id` is its id.
///
/// - `json` contains the object as the server sent it, including fields without a column.
/// - `served` is the body with which `mirror serve` answers, if it differs from `json`; `served_etag` is its ETag.
/// - A row with `ghost = 1` represents an object that is referred to but not stored, so that foreign keys are valid.
package enum Schema {
    /// The bytes `MIRR`, which identify a mirror's database (`PRAGMA application_id`).
    package static let applicationID: Int32 = 0x4D49_5252
    /// The version of the format (`PRAGMA user_version`), which each migration increases.
    package static let version: Int32 = 13
    /// The kinds that have tables in every mirror of this format. Tables of other kinds are created when a store is opened with
    /// them.
    static let builtIn = Kinds([.partner, .user, .location, .artist, .artwork, .album, .show, .document])

    /// Creates the tables in an empty file, or migrates an older one. Another program may do the same at the same time.
    ///
    /// Each migration is a transaction, and the remaining ones are determined before the first. A migration that the other
    /// program has finished in the meantime fails, so the remaining ones are determined again. The same is done after SQLite's
    /// busy time-out, because the other program's migration may take longer.
    static func prepare(_ database: some DatabaseWriter, kinds: Kinds = builtIn) throws {
        for _ in 1..<Int(version) {
            do {
                return try complete(database, kinds)
            } catch let error as DatabaseError
                where [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_BUSY].contains(error.resultCode)
            {
                continue
            }
        }
        try complete(database, kinds)
    }

    private static func complete(_ database: some DatabaseWriter, _ kinds: Kinds) throws {
        if try database.read(isEmpty) { try database.write(make) }
        if try database.read({ try Int32.fetchOne($0, sql: "PRAGMA user_version") }) != version {
            try migrator.migrate(database)
        }
        guard try !database.read({ try kindsWithoutTable(kinds, in: $0) }).isEmpty else { return }
        try database.write { db in
            let isMarking = try hasDigestMarkers(db)
            for kind in try kindsWithoutTable(kinds, in: db) {
                try execute(tables(of: kind) + (isMarking ? digestMarkers(of: kind) : []), in: db)
            }
        }
    }

    /// The kinds for which the database has no table yet. These can only be kinds that an app added.
    static func kindsWithoutTable(_ kinds: Kinds, in db: Database) throws -> [Kind] {
        let others = kinds.objects.filter { builtIn[$0.name] == nil }
        return others.isEmpty ? [] : try others.filter { try !db.tableExists($0.table) }
    }

    /// Whether a database has the current format and tables for all kinds.
    static func isComplete(_ db: Database, _ kinds: Kinds) throws -> Bool {
        try Int32.fetchOne(db, sql: "PRAGMA user_version") == version
            && kindsWithoutTable(kinds, in: db).isEmpty
    }

    /// Creates the schema of this version in an empty file, and records all migrations as done. This is faster than running
    /// the migrations.
    private static func make(_ db: Database) throws {
        guard try isEmpty(db) else { return }
        let done = (1...version).map { "('\($0)')" }.joined(separator: ", ")
        try execute(
            ["CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"]
                + tables(in: version) + (1...version).flatMap(others)
                + [
                    "INSERT INTO grdb_migrations (identifier) VALUES \(done)",
                    "PRAGMA application_id = \(applicationID)", "PRAGMA user_version = \(version)",
                ], in: db)
    }

    /// Whether there are no tables. GRDB's table of migrations doesn't count: another program that is migrating the file
    /// creates it first.
    static func isEmpty(_ db: Database) throws -> Bool {
        try Int.fetchOne(
            db, sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name <> 'grdb_migrations'")
            == 0
    }

    /// The migrations from the first version to this one, for older files.
    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try execute(tables(in: 1), in: db)
            try execute(["PRAGMA application_id = \(applicationID)", "PRAGMA user_version = 1"], in: db)
        }
        for version in 2...version {
            migrator.registerMigration("\(version)") { db in
                try execute(
                    addedColumns.filter { $0.version == version }.map {
                        "ALTER TABLE \"\($0.table)\" ADD COLUMN \($0.definition)"
                    }, in: db)
                try execute(others(of: version) + ["PRAGMA user_version = \(version)"], in: db)
            }
        }
        return migrator
    }

    private static func execute(_ statements: [String], in db: Database) throws {
        for statement in statements { try db.execute(sql: statement) }
    }

    /// The statements of a version besides those that add columns.
    private static func others(of version: Int32) -> [String] {
        [
            [], history, pull, events, digest, listed, sent, upkeep, gone, damaged + unavailable, sources,
            absent, pixelSizes + browsing + shownHistory,
        ][Int(version) - 1]
    }
}

/// Finds the tables, indexes and triggers that a damaged file lacks.
extension Schema {
    /// A table, index or trigger.
    struct Part: Sendable {
        let type: String
        let name: String
        let statement: String
    }

    /// The parts that a new file has and this one lacks, in the order in which to create them: tables first.
    ///
    /// ``DeferredIndexes`` don't count while a snapshot is being loaded.
    static func missingParts(of kinds: Kinds = builtIn, in db: Database) throws -> [Part] {
        var names = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_schema"))
        if try names.contains("meta") && DeferredIndexes.mayBeMissing(db) {
            names.formUnion(DeferredIndexes.names)
        }
        return try parts(kinds).filter { !names.contains($0.name) }
    }

    /// The parts of a file with the built-in kinds. Determined once, because creating the tables takes longer than most checks
    /// of a small mirror.
    private static let builtInParts = Result { try partsOfNewFile(builtIn) }

    private static func parts(_ kinds: Kinds) throws -> [Part] {
        let others = kinds.objects.contains { builtIn[$0.name] == nil }
        return try others ? partsOfNewFile(kinds) : builtInParts.get()
    }

    private static func partsOfNewFile(_ kinds: Kinds) throws -> [Part] {
        let new = try DatabaseQueue()
        try prepare(new, kinds: kinds)
        return try new.read { db in
            // A virtual table creates and drops its own shadow tables.
            try Row.fetchAll(
                db,
                sql: """
                    SELECT s.type, s.name, s.sql FROM sqlite_schema s LEFT JOIN pragma_table_list t ON t.name = s.name
                    WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND t.type IS NOT 'shadow'
                    ORDER BY s.type <> 'table', s.rowid
                    """
            ).map { Part(type: $0[0], name: $0[1], statement: $0[2]) }
        }
    }
}
