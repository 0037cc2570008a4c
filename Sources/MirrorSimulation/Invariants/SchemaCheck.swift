import GRDB
import MirrorStore

/// Invariants 12 and 6, of the database: nothing that was said became SQL or a path, and the file is whole.
struct SchemaCheck {
    /// The tables as they are meant to be.
    struct Schema: Sendable, Hashable {
        /// Goes on with every change of a table.
        let version: Int
        let fingerprint: UInt64

        init(_ db: Database) throws {
            version = try Self.version(db)
            fingerprint = try SchemaCheck.fingerprint(db)
        }

        static func version(_ db: Database) throws -> Int {
            try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0
        }
    }

    let schema: Schema
    /// The last version of which it was seen that it has the same tables: a first sync makes indexes anew.
    private var seen: Int?

    init(schema: Schema) {
        self.schema = schema
        seen = schema.version
    }

    /// After a crash, a version may be another's.
    mutating func forget() { seen = nil }

    /// While a snapshot is taken in, and until a run goes on with it, it may be without some indexes.
    private static func fingerprint(_ db: Database) throws -> UInt64 {
        let sql = "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL"
        var texts = try Set(String.fetchAll(db.cachedStatement(sql: sql)))
        if try LateIndexes.mayBeMissing(db) { texts.formUnion(LateIndexes.definitions) }
        return Fingerprint.of(texts.sorted().joined())
    }

    mutating func violations(_ db: Database) throws -> [Violation] {
        var found: [Violation] = []
        let version = try Schema.version(db)
        if version != seen {
            // The load may end without another change of the schema.
            seen = try LateIndexes.mayBeMissing(db) ? nil : version
            if try Self.fingerprint(db) != schema.fingerprint {
                found.append(Violation(.nothingIsTrusted, "The database's tables are others than were made."))
            }
        }
        let path = try String.fetchOne(
            db.cachedStatement(
                sql:
                    "SELECT path FROM file WHERE path NOT GLOB 'media/[0-9a-f][0-9a-f]/' || hash || '*' OR path LIKE '%..%' LIMIT 1"
            ))
        if let path { found.append(Violation(.nothingIsTrusted, "A file is said to be at \(path).")) }
        return found
    }

    /// After a crash.
    static func damage(_ db: Database) throws -> [Violation] {
        var found: [Violation] = []
        let check = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "nothing"
        if check != "ok" { found.append(Violation(.killedRunsConverge, "The database is damaged: \(check)")) }
        if try !Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty {
            found.append(Violation(.killedRunsConverge, "The database has references that lead nowhere."))
        }
        return found
    }
}
