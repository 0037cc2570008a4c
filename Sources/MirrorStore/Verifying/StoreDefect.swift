import Catalogue
import GRDB

/// Something in a mirror's database that contradicts something else in it.
///
/// Facts alone; the messages for people are made of them above.
package enum StoreDefect: Sendable, Hashable {
    /// What SQLite says of the file itself.
    case damaged(String)
    /// A table, an index or a trigger isn't there.
    case partMissing(type: String, name: String)
    /// Rows that refer to something that isn't there.
    case reference(BrokenReference)
    /// A complete list of the partner's says that it has another number of members than are stored.
    case listLength(list: String, said: Int, stored: Int)
    /// A list of what belongs to an object that isn't here.
    case ownerless(list: String, owner: Owner)
    /// An object's list says that it has another number of members than belong to the object.
    case members(list: String, owner: Owner, name: String, said: Int, stored: Int)
    /// The partner's complete list names an object of which there is no row.
    case absent(Kind, String)
    /// A row of which the partner's complete list says nothing.
    case unlisted(Kind, String)
    /// A row without the object's JSON, or with a broken one.
    case bodyless(Kind, String)
    /// A row that can't be served for want of an ETag.
    case unserved(Kind, String)
    /// An artwork whose JSON names another number of pictures than are stored.
    case pictures(artwork: String, said: Int, stored: Int)
    /// A picture of something that is referred to but not stored.
    case pictureOfGhost(Owner, image: String)
    /// A picture or document whose file was found broken and has not been fetched again since.
    case lost(Owner, file: String)
    /// An object that a search can't find.
    case notIndexed(Kind, String)
    /// What a search finds, and isn't here.
    case indexedInVain(kind: String, id: String)
    /// The search index contradicts itself.
    case indexDamaged
    /// A file that is noted as no longer needed, and is.
    case releasedInUse(StoredFile)
    /// A file to which nothing refers, and which wouldn't be noticed to be no longer needed.
    case unnoticed(StoredFile)
    /// A file that should have been removed by now.
    case overdue(StoredFile, since: String)
}

/// Rows of a table that refer to something that isn't there.
package struct BrokenReference: Sendable, Hashable {
    package let table: String
    package let column: String
    /// The table that lacks the row.
    package let target: String
    package let targetColumn: String
    /// What is referred to; `nil` where that can't be told.
    package let id: String?
    package let rows: Int
}

extension BrokenReference {
    /// What `PRAGMA foreign_key_check` finds, by table, and by what is referred to.
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

    /// SQL: whether a row `c` refers to what isn't there. Names are the schema's own.
    var condition: String {
        """
        c."\(column)" IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM "\(target)" p WHERE p."\(targetColumn)" = c."\(column)")
        """
    }
}
