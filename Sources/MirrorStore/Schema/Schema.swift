import Catalogue
import GRDB

/// The tables of `mirror.sqlite`.
///
/// Names are the API's: singular tables, fields as columns, `id` the API's id. What the server said of an object,
/// with the fields that have no column, is whole in its `json`. `served` is the body that `mirror serve` offers where
/// that differs from `json`, `served_etag` its ETag. A row with `ghost = 1` stands for something that is referred to
/// but not stored, so that foreign keys can be real.
package enum Schema {
    /// "MIRR": says that a SQLite file is ours (`PRAGMA application_id`).
    package static let applicationID: Int32 = 0x4D49_5252
    /// Grows with every migration (`PRAGMA user_version`); a file with a larger one is from a newer version.
    package static let version: Int32 = 10
    /// The kinds that every mirror of this format has tables for; those of others are made when a store is opened with them.
    static let builtIn = Kinds([.partner, .user, .location, .artist, .artwork, .album, .show, .document])

    /// Gives an empty file its tables, or brings one of an earlier version to this one, also while another program does just
    /// that.
    ///
    /// Each migration is a transaction, and which are left is looked up before the first: what the other has finished
    /// meanwhile can't be done again, so what is left is looked up again; and after SQLite's time for waiting, too, as the
    /// other may have much to bring to the newest version.
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

    /// Those of later and of an app's kinds for which nothing is stored yet.
    static func kindsWithoutTable(_ kinds: Kinds, in db: Database) throws -> [Kind] {
        let others = kinds.objects.filter { builtIn[$0.name] == nil }
        return others.isEmpty ? [] : try others.filter { try !db.tableExists($0.table) }
    }

    /// Whether a mirror of the current format has tables for all kinds.
    static func isComplete(_ db: Database, _ kinds: Kinds) throws -> Bool {
        try Int32.fetchOne(db, sql: "PRAGMA user_version") == version
            && kindsWithoutTable(kinds, in: db).isEmpty
    }

    /// All that a file of this version has, at once where it has nothing: to change tables one after the other takes longer
    /// than to make them. Its migrations are noted as done.
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

    /// Another program that is just making it has made the list of migrations first.
    static func isEmpty(_ db: Database) throws -> Bool {
        try Int.fetchOne(
            db, sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name <> 'grdb_migrations'")
            == 0
    }

    /// From the first version to this one, for files that are older.
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

    /// What a version added beside columns.
    private static func others(of version: Int32) -> [String] {
        [[], history, pull, events, digest, listed, sent, upkeep, gone, damaged + unavailable][
            Int(version) - 1]
    }
}

/// Tables, indexes and triggers: what a file can lack while all else that it holds stays.
extension Schema {
    struct Part: Sendable {
        let type: String
        let name: String
        let statement: String
    }

    /// Those of a new file that this one lacks, in the order in which they are made. What goes with a table that is missing
    /// comes behind it. ``LateIndexes`` don't count while a load is under way.
    static func missingParts(of kinds: Kinds = builtIn, in db: Database) throws -> [Part] {
        var names = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_schema"))
        if try names.contains("meta") && LateIndexes.mayBeMissing(db) {
            names.formUnion(LateIndexes.names)
        }
        return try parts(kinds).filter { !names.contains($0.name) }
    }

    private static func parts(_ kinds: Kinds) throws -> [Part] {
        let new = try DatabaseQueue()
        try prepare(new, kinds: kinds)
        return try new.read { db in
            // What a virtual table keeps in tables of its own is made, and lost, with it.
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
