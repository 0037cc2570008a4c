import Catalogue
import GRDB

/// What the digests need (``DigestKeeper``).
///
/// `digest` says up to where each is up to date, and has no row for one that nobody ever asked for.
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

    /// The triggers that mark the objects whose ETags from the origin, or those of what is under them, may be others now.
    ///
    /// They are there only while that digest is kept: with a trigger, SQLite copies each page that an insertion touches, in
    /// case it has to be taken back, and a first sync copied ten times as much as it stored.
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

    private static let areDigestMarkers =
        "FROM sqlite_schema WHERE type = 'trigger' AND sql GLOB '*INTO digest_mark *'"

    static func hasDigestMarkers(_ db: Database) throws -> Bool {
        try db.isTrue("SELECT EXISTS (SELECT 1 \(areDigestMarkers))")
    }

    /// Takes the triggers away.
    static func dropDigestMarkers(_ db: Database) throws {
        for name in try db.texts("SELECT name \(areDigestMarkers)") {
            try db.execute(sql: "DROP TRIGGER \"\(name)\"")
        }
    }

    /// - Parameters:
    ///   - columns: those that count.
    ///   - condition: which rows count.
    ///   - owner: of a row (`NEW` or `OLD`), the kind and id of the object that is marked.
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
