import GRDB

/// Indexes and triggers: what a file can lose while all that it holds stays.
extension Schema {
    struct Part: Sendable {
        let name: String
        let statement: String
    }

    /// Those of a new file that this one lacks, in the order in which they are made.
    static func missingParts(in db: Database) throws -> [Part] {
        let names = try Set(
            String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type IN ('index', 'trigger')"))
        return try parts().filter { !names.contains($0.name) }
    }

    private static func parts() throws -> [Part] {
        let new = try DatabaseQueue()
        try prepare(new)
        return try new.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT name, sql FROM sqlite_schema
                    WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid
                    """
            ).map { Part(name: $0[0], statement: $0[1]) }
        }
    }
}
