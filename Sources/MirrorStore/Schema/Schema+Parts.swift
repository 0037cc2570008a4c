import GRDB

/// Tables, indexes and triggers: what a file can lack while all else that it holds stays.
extension Schema {
    struct Part: Sendable {
        let type: String
        let name: String
        let statement: String
    }

    /// Those of a new file that this one lacks, in the order in which they are made. What goes with a table that is missing
    /// comes behind it. ``LateIndexes`` don't count while a load is under way.
    static func missingParts(in db: Database) throws -> [Part] {
        var names = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_schema"))
        if try names.contains("meta") && LateIndexes(db: db).mayBeMissing {
            names.formUnion(LateIndexes.names)
        }
        return try parts().filter { !names.contains($0.name) }
    }

    private static func parts() throws -> [Part] {
        let new = try DatabaseQueue()
        try prepare(new)
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
