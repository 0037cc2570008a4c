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

    /// Gives an empty file its tables, or brings one of an earlier version to this one, also while another program does just
    /// that.
    ///
    /// Each migration is a transaction, and which are left is looked up before the first: what the other has finished
    /// meanwhile can't be done again, so what is left is looked up again; and after SQLite's time for waiting, too, as the
    /// other may have much to bring to the newest version.
    static func prepare(_ database: some DatabaseWriter) throws {
        for _ in 1..<Int(version) {
            do {
                return try complete(database)
            } catch let error as DatabaseError
                where [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_BUSY].contains(error.resultCode)
            {
                continue
            }
        }
        try complete(database)
    }

    private static func complete(_ database: some DatabaseWriter) throws {
        if try database.read(isEmpty) { try database.write(make) }
        guard try database.read({ try Int32.fetchOne($0, sql: "PRAGMA user_version") }) != version else {
            return
        }
        try migrator.migrate(database)
    }

    /// All that a file of this version has, at once where it has nothing: to change tables one after the other takes longer
    /// than to make them. Its migrations are noted as done.
    private static func make(_ db: Database) throws {
        guard try isEmpty(db) else { return }
        try execute(
            ["CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"], in: db)
        try execute(tables(in: version), in: db)
        for version in 1...version { try execute(others(of: version), in: db) }
        let done = (1...version).map { "('\($0)')" }.joined(separator: ", ")
        try execute(["INSERT INTO grdb_migrations (identifier) VALUES \(done)"], in: db)
        try execute(["PRAGMA application_id = \(applicationID)", "PRAGMA user_version = \(version)"], in: db)
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
                try execute(addedColumns.filter { $0.version == version }.map(\.statement), in: db)
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
        switch version {
        case 2: history
        case 3: pull
        case 4: events
        case 5: digest
        case 6: listed
        case 7: sent
        case 8: upkeep
        case 9: gone
        case 10: damaged + unavailable
        default: []
        }
    }
}
