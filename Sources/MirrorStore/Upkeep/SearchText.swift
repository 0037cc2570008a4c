import Catalogue

/// What the search index contains of the objects of a kind, in SQL.
struct SearchText {
    let kind: Kind
    /// SQL: title, artist and text of the row `o`.
    let columns: String
    /// SQL: the key that orders lists of names; `NULL` for artworks, which have an index of their own.
    let key: String
    /// SQL: the ids of the objects that changed after the change `?1`, among others.
    ///
    /// Changes are read by their numbers: with the index of kinds and ids, SQLite would read the whole log.
    let changed: String

    private init(_ kind: Kind, _ columns: String, key: String, changed: String? = nil) {
        (self.kind, self.columns, self.key) = (kind, columns, key)
        self.changed =
            changed ?? "SELECT DISTINCT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = '\(kind.name)'"
    }

    static let artist = SearchText(
        .artist,
        """
        coalesce(o.name, o.display_name), NULL, \(joined("display_name", "nationality", "years", "blurb"))
        """,
        key: "coalesce(artist_key(o.json), sort_key(o.name), '\(ArtworkSort.untitled)')")
    static let artwork = SearchText(
        .artwork,
        """
        o.title, (SELECT group_concat(coalesce(p.display_name, p.name), ' ') FROM artwork_artist a
          JOIN artist p ON p.id = a.artist_id AND p.ghost = 0 WHERE a.artwork_id = o.id),
        \(joined("medium", "category", "date", "series", "inventory_id"))
        """, key: "NULL", changed: "SELECT id FROM unindexed_artwork WHERE ?1 IS NOT NULL")
    static let show = SearchText(
        .show, "o.name, NULL, NULL",
        key: "show_key(o.start_at, o.end_at, o.name)")
    /// A local edit may give an album another id, so albums without an entry, and entries without an album, count as changed.
    static let album = SearchText(
        .album, "o.name, NULL, NULL", key: nameKey,
        changed: """
            SELECT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'album'
            UNION SELECT id FROM album WHERE ghost = 0 AND id NOT IN (SELECT id FROM search_entry WHERE kind = 'album')
            UNION SELECT id FROM search_entry WHERE kind = 'album' AND id NOT IN (SELECT id FROM album)
            """)
    static let location = SearchText(.location, "o.name, NULL, NULL", key: nameKey)

    /// The searchable kinds in the order of indexing: artists before artworks, which are indexed with their artists' names.
    static let all = [artist, artwork, show, album, location]

    /// SQL: the words of the row `e` of `search_entry`: those of an artwork's facets, or the kind and, if visitors may see
    /// the object, the word for that.
    var words: String {
        guard kind != .artwork else {
            return "(SELECT n.words FROM artwork_entry n WHERE n.number = e.number)"
        }
        func word(_ facet: Facet, _ value: String) -> String {
            "(SELECT 'f' || number FROM facet_value WHERE facet = '\(facet.name)' AND value = '\(value)')"
        }
        return """
            \(word(.kind, kind.name)) || iif(e.hidden, '', ' ' || \(word(.face, FacetSource.others)))
            """
    }

    /// SQL: settings for filling an empty index. Twice the default number of terms is collected before each write, so that fewer
    /// segments have to be merged. Segments aren't merged while the index is filled; later changes merge them step by step.
    static func beginFilling(_ table: String = "search") -> [String] {
        [
            "INSERT INTO \(table) (\(table), rank) VALUES ('hashsize', 2097152)",
            "INSERT INTO \(table) (\(table), rank) VALUES ('automerge', 0)",
        ]
    }
    /// SQL: restores the default merging of segments.
    static func endFilling(_ table: String = "search") -> String {
        "INSERT INTO \(table) (\(table), rank) VALUES ('automerge', 4)"
    }

    private static let nameKey = "coalesce(natural_key(o.name), '\(ArtworkSort.untitled)')"

    private static func joined(_ columns: String...) -> String {
        columns.map { "coalesce(o.\($0), '')" }.joined(separator: " || ' ' || ")
    }
}
