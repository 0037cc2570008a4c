import Catalogue
import GRDB

/// The tables and triggers of the stored digests (``DigestKeeper``).
///
/// The table `digest` has a row for each digest that was ever requested, with the position up to which it is current.
extension Schema {
    static let digest = [
        "CREATE TABLE digest (side INTEGER PRIMARY KEY, position INTEGER NOT NULL)",
        """
        CREATE TABLE digest_leaf (
          side INTEGER NOT NULL, key INTEGER NOT NULL, url TEXT NOT NULL, etag TEXT NOT NULL, owner TEXT,
          PRIMARY KEY (side, key, url)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX digest_leaf_of_owner ON digest_leaf(side, owner) WHERE owner IS NOT NULL",
        """
        CREATE TABLE digest_node (
          side INTEGER NOT NULL, prefix TEXT NOT NULL, children BLOB NOT NULL, PRIMARY KEY (side, prefix)
        ) WITHOUT ROWID
        """,
        "CREATE TABLE digest_mark (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL)",
    ]

    /// The triggers that mark objects for which the origin's ETags may have changed: their own, or those of their lists or
    /// documents.
    ///
    /// They exist only while that digest is stored. With a trigger, SQLite journals each page that an insertion touches, so that
    /// the statement can be rolled back. During a first sync, that was ten times the amount of data that it stored.
    static func digestMarkers(_ kinds: Kinds) -> [String] {
        kinds.objects.flatMap(digestMarkers)
            + marking(
                "document", ["id", "show_id", "artist_id", "etag", "ghost", "refetch", "kept"]
            ) { "iif(\($0).show_id IS NULL, 'artist', 'show'), coalesce(\($0).show_id, \($0).artist_id)" }
            + marking(
                "list", ["url", "owner_kind", "owner_id", "name", "etag", "complete", "pending"],
                condition: "owner_kind <> 'partner'"
            ) { "\($0).owner_kind, \($0).owner_id" }
    }

    static func digestMarkers(of kind: Kind) -> [String] {
        let columns =
            ["id", "etag", "ghost", "refetch", "kept"] + (kind.isListed ? ["linked"] : [])
            + (kind.isEdited ? ["acknowledged"] : [])
        return marking(kind.table, columns) { "'\(kind.name)', \($0).id" }
    }

    private static let fromDigestMarkers =
        "FROM sqlite_schema WHERE type = 'trigger' AND sql GLOB '*INTO digest_mark *'"

    static func hasDigestMarkers(_ db: Database) throws -> Bool {
        try db.isTrue("SELECT EXISTS (SELECT 1 \(fromDigestMarkers))")
    }

    static func dropDigestMarkers(_ db: Database) throws {
        for name in try db.texts("SELECT name \(fromDigestMarkers)") {
            try db.execute(sql: "DROP TRIGGER \"\(name)\"")
        }
    }

    /// The triggers of one table.
    ///
    /// - Parameters:
    ///   - columns: the columns whose changes mark an object.
    ///   - condition: an SQL condition on the rows that mark an object. Default: all rows.
    ///   - owner: returns SQL for the kind and id of the marked object, given `NEW` or `OLD`.
    private static func marking(
        _ table: String, _ columns: [String], condition: String? = nil, owner: (String) -> String
    ) -> [String] {
        func when(_ row: String) -> String { condition.map { "WHEN \(row).\($0) " } ?? "" }
        func mark(_ row: String) -> String { "INSERT INTO digest_mark (kind, id) VALUES (\(owner(row)));" }
        let differs = columns.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
        return [
            "\(table)_came AFTER INSERT ON \"\(table)\" \(when("NEW"))BEGIN \(mark("NEW")) END",
            "\(table)_went AFTER DELETE ON \"\(table)\" \(when("OLD"))BEGIN \(mark("OLD")) END",
            """
            \(table)_changed AFTER UPDATE OF \(columns.joined(separator: ", ")) ON "\(table)"
            WHEN \(condition.map { "NEW.\($0) AND " } ?? "")(\(differs)) BEGIN \(mark("NEW")) \(mark("OLD")) END
            """,
        ].map { "CREATE TRIGGER IF NOT EXISTS \($0)" }
    }
}
