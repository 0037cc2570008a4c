import GRDB

extension CatalogueStore {
    /// Brings the search index up to date with what a run changed.
    ///
    /// Idempotent. An artist's new name reaches the artist's artworks too.
    package func updateSearchIndex(run: Int64) throws {
        try write { db in
            let artworks = """
                SELECT id FROM change WHERE run = ?1 AND kind = 'artwork'
                UNION SELECT a.artwork_id FROM change c JOIN artwork_artist a ON a.artist_id = c.id
                  WHERE c.run = ?1 AND c.kind = 'artist'
                """
            let artists = "SELECT DISTINCT id FROM change WHERE run = ?1 AND kind = 'artist'"
            try index("artwork", ids: artworks, run: run, texts: Self.artworkTexts, in: db)
            try index("artist", ids: artists, run: run, texts: Self.artistTexts, in: db)
        }
    }

    private static let artworkTexts = """
        o.title, (SELECT group_concat(coalesce(p.display_name, p.name), ' ') FROM artwork_artist a
          JOIN artist p ON p.id = a.artist_id AND p.ghost = 0 WHERE a.artwork_id = o.id),
        concat_texts(o.medium, o.category, o.date, o.series, o.inventory_id, o.slug)
        """
    private static let artistTexts = """
        coalesce(o.display_name, o.name), coalesce(o.display_name, o.name),
        concat_texts(o.name, o.sortable_id, o.nationality, o.years, o.slug, o.blurb)
        """

    private func index(_ kind: String, ids: String, run: Int64, texts: String, in db: Database) throws {
        let texts = texts.replacing(#/concat_texts\(([^)]*)\)/#) { match in
            match.1.split(separator: ", ").map { "coalesce(\($0), '')" }.joined(separator: " || ' ' || ")
        }
        try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS reindexed (id TEXT PRIMARY KEY)")
        try db.execute(sql: "DELETE FROM reindexed")
        try db.execute(sql: "INSERT OR IGNORE INTO reindexed \(ids)", arguments: [run])
        try db.execute(
            sql: """
                DELETE FROM search WHERE rowid IN (
                  SELECT number FROM search_entry JOIN reindexed USING (id) WHERE kind = ?)
                """, arguments: [kind])
        try db.execute(
            sql: """
                DELETE FROM search_entry WHERE kind = ?1 AND id IN (SELECT id FROM reindexed)
                  AND id NOT IN (SELECT id FROM "\(kind)" WHERE ghost = 0)
                """, arguments: [kind])
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO search_entry (kind, id)
                SELECT ?, o.id FROM "\(kind)" o JOIN reindexed USING (id) WHERE o.ghost = 0
                """, arguments: [kind])
        try db.execute(
            sql: """
                INSERT INTO search (rowid, title, artist, text)
                SELECT e.number, \(texts) FROM "\(kind)" o JOIN reindexed USING (id)
                JOIN search_entry e ON e.kind = ? AND e.id = o.id WHERE o.ghost = 0
                """, arguments: [kind])
    }
}
