import GRDB
import MirrorStore

/// Checks the database for invariants 12 and 6: no data of a server became SQL or a path, and a crash damaged nothing.
struct SchemaCheck {
    /// The definitions of the tables and indexes.
    struct Schema: Sendable, Hashable {
        /// SQLite's `schema_version`, which every change of the schema increments.
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
    /// The last version that was checked. A later one may have the same definitions: a first sync drops indexes and creates them
    /// again.
    private var checkedVersion: Int?

    init(schema: Schema) {
        self.schema = schema
        checkedVersion = schema.version
    }

    /// After a crash, the same version number may belong to another schema.
    mutating func forgetVersion() { checkedVersion = nil }

    /// A hash of the definitions. Indexes that may be missing, because a snapshot is only partly loaded, count as present.
    private static func fingerprint(_ db: Database) throws -> UInt64 {
        let sql = "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL"
        var texts = try Set(String.fetchAll(db.cachedStatement(sql: sql)))
        if try DeferredIndexes.mayBeMissing(db) { texts.formUnion(DeferredIndexes.definitions) }
        return Fingerprint.of(texts.sorted().joined())
    }

    mutating func violations(_ db: Database) throws -> [Violation] {
        var found: [Violation] = []
        let version = try Schema.version(db)
        if version != checkedVersion {
            // The loading of a snapshot may end without another change of the schema, so this version is checked again.
            checkedVersion = try DeferredIndexes.mayBeMissing(db) ? nil : version
            if try Self.fingerprint(db) != schema.fingerprint {
                found.append(
                    Violation(.serverDataIsUntrusted, "The database's tables differ from the schema."))
            }
        }
        let path = try String.fetchOne(
            db.cachedStatement(
                sql:
                    "SELECT path FROM file WHERE path NOT GLOB 'media/[0-9a-f][0-9a-f]/' || hash || '*' OR path LIKE '%..%' LIMIT 1"
            ))
        if let path { found.append(Violation(.serverDataIsUntrusted, "The database has a file at \(path).")) }
        return found
    }

    /// Checks the database's integrity and references after a crash.
    static func damage(_ db: Database) throws -> [Violation] {
        var found: [Violation] = []
        let check = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "nothing"
        if check != "ok" { found.append(Violation(.killedRunsConverge, "The database is damaged: \(check)")) }
        if try !Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty {
            found.append(Violation(.killedRunsConverge, "The database has broken references."))
        }
        return found
    }
}
