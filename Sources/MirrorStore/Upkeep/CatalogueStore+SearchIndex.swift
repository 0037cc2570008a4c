import Catalogue
import GRDB

extension CatalogueStore {
    /// Updates the search index for all changes since its last update, including those of killed runs. Idempotent.
    ///
    /// If an artist's name changed, the artist's artworks are indexed again, too.
    package func updateSearchIndex() throws {
        try write { db in
            let last = try lastChange(in: db)
            let done = try db.number("SELECT value FROM meta WHERE key = 'indexed_change'") ?? 0
            guard last > done else { return }
            // Read by the changes' numbers: with the index of kinds and ids, SQLite would read the whole log.
            let artworks = """
                SELECT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'artwork'
                UNION SELECT a.artwork_id FROM change c NOT INDEXED JOIN artwork_artist a ON a.artist_id = c.id
                  WHERE c.seq > ?1 AND c.kind = 'artist'
                """
            let artists = "SELECT DISTINCT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'artist'"
            for (text, ids) in zip(SearchText.all, [artists, artworks]) {
                try index(text, ids: ids, after: done, in: db)
            }
            try storeLastIndexed(last, in: db)
        }
    }

    /// Whether the index lacks changes. A run updates it at its end, so a run is in progress or was stopped before that.
    package func isIndexBehind() throws -> Bool {
        guard try metaValue(.loading) == nil else { return true }
        return try read { db in
            try db.isTrue(
                """
                SELECT EXISTS (SELECT 1 FROM change NOT INDEXED WHERE kind IN ('artwork', 'artist')
                  AND seq > coalesce(
                    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed_change'), 0))
                """)
        }
    }

    /// Builds the search index from the stored objects, also if an index exists or is damaged.
    package func rebuildSearchIndex() throws {
        try write { db in
            try emptySearchIndex(in: db)
            for text in SearchText.all { try index(text, ids: nil, after: 0, in: db) }
            try storeLastIndexed(lastChange(in: db), in: db)
        }
    }

    func emptySearchIndex(in db: Database) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS search")
        try db.execute(sql: Schema.searchIndex)
        try db.execute(sql: "DELETE FROM search_entry")
    }

    // MARK: - Indexing

    private func lastChange(in db: Database) throws -> Int {
        try db.number("SELECT max(seq) FROM change") ?? 0
    }

    private func storeLastIndexed(_ change: Int, in db: Database) throws {
        try db.run(
            """
            INSERT INTO meta (key, value) VALUES ('indexed_change', ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, [change])
    }

    /// Indexes the objects of a kind that changed. If no object of the kind is in the index yet, all are indexed.
    ///
    /// - Parameter ids: an SQL query of the ids of objects that changed after the change `?1`; `nil` for all objects.
    private func index(_ text: SearchText, ids: String?, after done: Int, in db: Database) throws {
        let kind = text.kind.name
        let isFirst = try !db.isTrue("SELECT EXISTS (SELECT 1 FROM search_entry WHERE kind = ?)", [kind])
        let all = "SELECT id FROM (SELECT id FROM \"\(kind)\" WHERE ?1 IS NOT NULL ORDER BY rowid)"
        // Each statement runs the query of ids again: creating a temporary table would invalidate all prepared statements of the
        // connection. `CROSS JOIN` makes SQLite start with the changed ids, not with all objects.
        let ids = isFirst ? all : ids ?? all
        let reindexed = "WITH reindexed (id) AS MATERIALIZED (\(ids))"
        guard try db.isTrue("SELECT EXISTS (\(ids))", [done]) else { return }
        if isFirst { for sql in SearchText.beginFilling { try db.execute(sql: sql) } }
        try db.run(
            """
            \(reindexed) DELETE FROM search WHERE rowid IN (
              SELECT e.number FROM reindexed r CROSS JOIN search_entry e ON e.kind = ?2 AND e.id = r.id)
            """, [done, kind])
        try db.run(
            """
            \(reindexed) DELETE FROM search_entry WHERE kind = ?2 AND id IN (SELECT id FROM reindexed)
              AND NOT EXISTS (SELECT 1 FROM "\(kind)" o WHERE o.id = search_entry.id AND o.ghost = 0)
            """, [done, kind])
        try db.run(
            """
            \(reindexed) INSERT OR IGNORE INTO search_entry (kind, id)
            SELECT ?2, o.id FROM reindexed r CROSS JOIN "\(kind)" o ON o.id = r.id WHERE o.ghost = 0
            """, [done, kind])
        // `OR REPLACE`, because the index may still have the text of an entry whose row in `search_entry` was lost.
        try db.run(
            """
            \(reindexed) INSERT OR REPLACE INTO search (rowid, title, artist, text)
            SELECT e.number, \(text.columns) FROM reindexed r CROSS JOIN "\(kind)" o ON o.id = r.id
            CROSS JOIN search_entry e ON e.kind = ?2 AND e.id = o.id WHERE o.ghost = 0
            """, [done, kind])
        if isFirst { try db.execute(sql: SearchText.endFilling) }
    }
}

/// The columns of the search index for the objects of a kind, in SQL.
struct SearchText {
    let kind: Kind
    /// SQL: title, artist and text of the row `o`.
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

    /// The searchable kinds in the order of indexing: artists first, because artworks are indexed with their artists' names.
    static let all = [artist, artwork]

    /// SQL: settings for filling an empty index. Twice the default number of terms is collected before each write, so that fewer
    /// segments have to be merged. Segments aren't merged while the index is filled; later changes merge them step by step.
    static let beginFilling = [
        "INSERT INTO search (search, rank) VALUES ('hashsize', 2097152)",
        "INSERT INTO search (search, rank) VALUES ('automerge', 0)",
    ]
    /// SQL: restores the default merging of segments.
    static let endFilling = "INSERT INTO search (search, rank) VALUES ('automerge', 4)"

    private static func joined(_ columns: String...) -> String {
        columns.map { "coalesce(o.\($0), '')" }.joined(separator: " || ' ' || ")
    }
}
