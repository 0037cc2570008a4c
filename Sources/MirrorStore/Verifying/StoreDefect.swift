import Catalogue
import GRDB

/// A problem that the checks of a mirror's database found.
///
/// It has only facts. The messages for users are written in `MirrorSync`.
package enum StoreDefect: Sendable, Hashable {
    /// A message of SQLite's integrity check.
    case damaged(String)
    /// A table, an index or a trigger is missing.
    case partMissing(type: String, name: String)
    /// Rows refer to a missing row.
    case reference(BrokenReference)
    /// A complete list of the partner has another number of members (`listed`) than are stored.
    case listLength(list: String, listed: Int, stored: Int)
    /// A list belongs to an object that isn't stored.
    case ownerless(list: String, owner: Owner)
    /// A list under an object has another number of members (`listed`) than are stored.
    case members(list: String, owner: Owner, name: String, listed: Int, stored: Int)
    /// The partner's complete list contains an object without a row.
    case absent(Kind, String)
    /// A row's object isn't in the partner's complete list.
    case unlisted(Kind, String)
    /// A row has no JSON, or invalid JSON.
    case withoutBody(Kind, String)
    /// A row can't be served because it has no ETag.
    case unserved(Kind, String)
    /// An artwork's JSON has another number of pictures (`listed`) than are stored.
    case pictures(artwork: String, listed: Int, stored: Int)
    /// A picture belongs to an object that is referred to but not stored.
    case pictureOfGhost(Owner, image: String)
    /// The file of a picture was found damaged, and has not been fetched again since.
    case lost(Owner, file: String)
    /// An object isn't in the search index.
    case notIndexed(Kind, String)
    /// The search index has an object that isn't stored.
    case staleIndexEntry(kind: String, id: String)
    /// The search index contradicts itself.
    case indexDamaged
    /// A file is marked as no longer needed, but is in use.
    case releasedInUse(StoredFile)
    /// Nothing refers to a file, and it isn't queued for removal.
    case untracked(StoredFile)
    /// A file should have been removed by now.
    case overdue(StoredFile, since: String)
}

/// Rows of a table that refer to the same missing row.
package struct BrokenReference: Sendable, Hashable {
    package let table: String
    package let column: String
    /// The table that lacks the row.
    package let target: String
    package let targetColumn: String
    /// The missing id or number; `nil` if it is unknown: then ``rows`` counts the references to all missing rows.
    package let id: String?
    package let rows: Int
}

extension BrokenReference {
    /// The results of `PRAGMA foreign_key_check`, grouped by table and by the missing row.
    static func all(in db: Database) throws -> [BrokenReference] {
        let found = try db.rows(
            """
            SELECT c."table", parent, "from", "to", count(*) FROM pragma_foreign_key_check c
            JOIN pragma_foreign_key_list(c."table") k ON k.id = c.fkid GROUP BY 1, 2, fkid ORDER BY 1, fkid
            """)
        return try found.flatMap { row -> [BrokenReference] in
            let table: String = row[0]
            func broken(_ id: String?, _ rows: Int) -> BrokenReference {
                BrokenReference(
                    table: table, column: row[2], target: row[1], targetColumn: row[3], id: id, rows: rows)
            }
            let all = broken(nil, row[4])
            let named = try db.rows(
                """
                SELECT CAST("\(all.column)" AS TEXT), count(*) FROM "\(table)" c
                WHERE \(all.condition) GROUP BY 1 ORDER BY 1 LIMIT 1000
                """
            ).map { broken($0[0], $0[1]) }
            return named.isEmpty ? [all] : named
        }
    }

    /// SQL condition: the row `c` refers to a missing row. The names come from the schema, not from a server.
    var condition: String {
        """
        c."\(column)" IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM "\(target)" p WHERE p."\(targetColumn)" = c."\(column)")
        """
    }
}
