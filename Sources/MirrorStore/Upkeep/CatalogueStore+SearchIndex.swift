import Catalogue
import GRDB

extension CatalogueStore {
    /// Brings the search index up to date with everything that changed since it last was, killed runs included.
    ///
    /// Idempotent. An artist's new name reaches the artist's artworks too.
    package func updateSearchIndex() throws {
        try write { db in
            let last = try lastChange(in: db)
            let done = try db.number("SELECT value FROM meta WHERE key = 'indexed_change'") ?? 0
            guard last > done else { return }
            // By the numbers of the changes: the index of kinds and ids would lead through all that ever changed.
            let artworks = """
                SELECT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'artwork'
                UNION SELECT a.artwork_id FROM change c NOT INDEXED JOIN artwork_artist a ON a.artist_id = c.id
                  WHERE c.seq > ?1 AND c.kind = 'artist'
                """
            let artists = "SELECT DISTINCT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'artist'"
            for (text, ids) in zip(SearchText.all, [artists, artworks]) {
                try index(text, ids: ids, after: done, in: db)
            }
            try noteIndexed(last, in: db)
        }
    }

    /// Whether the index lacks what came since it was last brought up to date: a run that does that at its end has not ended,
    /// or was stopped before it could.
    package func isIndexBehind() throws -> Bool {
        guard try fact(.loading) == nil else { return true }
        return try read { db in
            try db.isTrue(
                """
                SELECT EXISTS (SELECT 1 FROM change NOT INDEXED WHERE kind IN ('artwork', 'artist')
                  AND seq > coalesce(
                    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed_change'), 0))
                """)
        }
    }

    /// Makes the search index anew, whatever state it is in.
    package func rebuildSearchIndex() throws {
        try write { db in
            try emptySearchIndex(in: db)
            for text in SearchText.all { try index(text, ids: nil, after: 0, in: db) }
            try noteIndexed(lastChange(in: db), in: db)
        }
    }

    func emptySearchIndex(in db: Database) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS search")
        try db.execute(sql: Schema.searchIndex)
        try db.execute(sql: "DELETE FROM search_entry")
    }

    // MARK: - What changed

    private func lastChange(in db: Database) throws -> Int {
        try db.number("SELECT max(seq) FROM change") ?? 0
    }

    private func noteIndexed(_ change: Int, in db: Database) throws {
        try db.run(
            """
            INSERT INTO meta (key, value) VALUES ('indexed_change', ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, [change])
    }

    /// - Parameter ids: SQL: those that changed behind `?1`. Where nothing of the kind is in the index yet, all are put in.
    private func index(_ text: SearchText, ids: String?, after done: Int, in db: Database) throws {
        let kind = text.kind.name
        let isFirst = try !db.isTrue("SELECT EXISTS (SELECT 1 FROM search_entry WHERE kind = ?)", [kind])
        let all = "SELECT id FROM (SELECT id FROM \"\(kind)\" WHERE ?1 IS NOT NULL ORDER BY rowid)"
        // Found anew by each of the statements: to gather them in a table of the connection's own would make all that it has
        // prepared void. What changed leads (hence CROSS JOIN), and not what there is.
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
        // A number may be that of an entry which was lost, and whose text was not.
        try db.run(
            """
            \(reindexed) INSERT OR REPLACE INTO search (rowid, title, artist, text)
            SELECT e.number, \(text.columns) FROM reindexed r CROSS JOIN "\(kind)" o ON o.id = r.id
            CROSS JOIN search_entry e ON e.kind = ?2 AND e.id = o.id WHERE o.ghost = 0
            """, [done, kind])
        if isFirst { try db.execute(sql: SearchText.endFilling) }
    }
}

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
