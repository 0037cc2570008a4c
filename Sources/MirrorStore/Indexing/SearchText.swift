import Catalogue

/// What the search index holds of a kind's objects, in SQL: said once, for all who fill it.
struct SearchText {
    let kind: Kind
    /// Title, artist and text, of the row `o`.
    let columns: String

    static let artist = SearchText(
        kind: .artist,
        columns: """
            coalesce(o.name, o.display_name), NULL, \(joined("display_name", "nationality", "years", "blurb"))
            """)
    static let artwork = SearchText(
        kind: .artwork,
        columns: """
            o.title, (SELECT group_concat(coalesce(p.display_name, p.name), ' ') FROM artwork_artist a
              JOIN artist p ON p.id = a.artist_id AND p.ghost = 0 WHERE a.artwork_id = o.id),
            \(joined("medium", "category", "date", "series", "inventory_id"))
            """)

    /// Those that can be searched for, in the order in which they are put in: artists first, whose names artworks are found by.
    static let all = [artist, artwork]

    /// SQL: puts in all objects of the kind, of an index that has none of them.
    ///
    /// Entries are numbered as the rows are, behind those of other kinds (`?1`), so that none has to be looked up.
    var insertAll: String {
        """
        INSERT INTO search (rowid, title, artist, text) SELECT o.rowid + ?1, \(columns)
        FROM "\(kind.table)" o WHERE o.ghost = 0
        """
    }

    /// SQL: what ``insertAll`` numbers, by `?1`.
    var enterAll: String {
        """
        INSERT INTO search_entry (number, kind, id)
        SELECT o.rowid + ?1, '\(kind.name)', o.id FROM "\(kind.table)" o WHERE o.ghost = 0
        """
    }

    /// SQL: whether ``insertAll`` puts in anything.
    var hasAny: String { "SELECT EXISTS (SELECT 1 FROM \"\(kind.table)\" WHERE ghost = 0)" }

    /// SQL: for an index that is filled from nothing. Of terms that are gathered before they are written, twice as many as by
    /// default save merging later; and nothing is merged before all is there: later changes do that, little by little.
    static let beginFilling = [
        "INSERT INTO search (search, rank) VALUES ('hashsize', 2097152)",
        "INSERT INTO search (search, rank) VALUES ('automerge', 0)",
    ]
    /// SQL: from here on segments are merged as the index grows, as by default.
    static let endFilling = "INSERT INTO search (search, rank) VALUES ('automerge', 4)"

    private static func joined(_ columns: String...) -> String {
        columns.map { "coalesce(o.\($0), '')" }.joined(separator: " || ' ' || ")
    }
}
