import Catalogue

/// The tables, indexes and triggers of the index for lists and filters (``ArtworkIndex``), which version 13 added.
extension Schema {
    /// Version 13: the index for lists and filters.
    ///
    /// - `artwork_entry`: a row for each stored artwork, with its sort keys and its words.
    /// - `artwork_place_…`: the artworks in an order. A place is a number; those of neighbours are far apart.
    /// - `artwork_by_…`: a full-text index for each order. Its row ids are places, so matches are read in that order.
    /// - `facet_value`: the values by which artworks can be filtered, with the number of artworks; and the kinds of the
    ///   other objects, with their number. The word of a value is `f` and its number.
    /// - `facet_field`: fields without a column that can be filters.
    /// - `unindexed_artwork`: artworks that have to be indexed again, although the change log doesn't say so.
    ///
    /// The search index gets a column for these words. In a file that was indexed before, the new index is built when it is
    /// opened (``CatalogueStore/rebuildOutdatedIndex()``), also if the old one is empty: it had no shows, albums and
    /// locations.
    static let browsing =
        [
            """
            CREATE TABLE artwork_entry (
              number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hidden INTEGER NOT NULL, artist TEXT NOT NULL,
              title TEXT NOT NULL, year INTEGER NOT NULL, recency INTEGER NOT NULL, words TEXT NOT NULL
            )
            """
        ]
        + ArtworkSort.allCases.flatMap { sort in
            [
                "CREATE TABLE \(sort.places) (place INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
                wordIndex(of: sort),
            ]
        } + [
            """
            CREATE TABLE facet_value (
              number INTEGER PRIMARY KEY AUTOINCREMENT, facet TEXT NOT NULL, value TEXT NOT NULL,
              artworks INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0, UNIQUE (facet, value)
            )
            """,
            "CREATE INDEX facet_value_common ON facet_value(facet, artworks)",
            "CREATE TABLE facet_field (name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID",
            "CREATE TABLE unindexed_artwork (id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID",
            """
            INSERT INTO meta (key, value)
            SELECT '\(CatalogueStore.MetaKey.searchFormat.rawValue)', '\(CatalogueStore.searchFormat)'
            WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key = 'indexed_change') ON CONFLICT (key) DO NOTHING
            """,
            "DROP TABLE search", searchIndex,
            "CREATE INDEX artwork_hidden ON artwork(id, ghost, published) WHERE published IS 0",
            "CREATE INDEX search_entry_named ON search_entry(kind, key, id, hidden) WHERE key IS NOT NULL",
        ] + pictureMarkers

    /// The definition of the full-text index of an order.
    ///
    /// It has no content of its own, no positions and no lengths, so it takes some 15 bytes an artwork.
    static func wordIndex(of sort: ArtworkSort) -> String {
        """
        CREATE VIRTUAL TABLE \(sort.table) USING fts5(
          words, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
        )
        """
    }

    /// Triggers that mark the artwork of a picture whose file was stored, replaced or removed.
    private static let pictureMarkers = [
        ("image_file_stored", "INSERT ON image_file", "NEW.hash IS NOT NULL"),
        ("image_file_changed", "UPDATE OF hash ON image_file", "OLD.hash IS NOT NEW.hash"),
        ("image_file_lost", "DELETE ON image_file", "OLD.hash IS NOT NULL"),
    ].map { name, event, condition in
        let row = event.hasPrefix("DELETE") ? "OLD" : "NEW"
        return """
            CREATE TRIGGER \(name) AFTER \(event) WHEN \(condition) AND NOT (\(ImageTile.isTile("\(row).format"))) BEGIN
              INSERT INTO unindexed_artwork (id) SELECT artwork_id FROM image
              WHERE pk = \(row).image AND artwork_id IS NOT NULL ON CONFLICT DO NOTHING;
            END
            """
    }
}
