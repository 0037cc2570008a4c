import GRDB

extension CatalogueStore {
    /// Brings the search index up to date with everything that changed since it last was, killed runs included.
    ///
    /// Idempotent. An artist's new name reaches the artist's artworks too.
    package func updateSearchIndex() throws {
        try write { db in
            let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(seq) FROM change")) ?? 0
            let done =
                try Int64.fetchOne(
                    db.cachedStatement(sql: "SELECT value FROM meta WHERE key = 'indexed_change'")) ?? 0
            guard last > done else { return }
            // By the numbers of the changes: the index of kinds and ids would lead through all that ever changed.
            let artworks = """
                SELECT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'artwork'
                UNION SELECT a.artwork_id FROM change c NOT INDEXED JOIN artwork_artist a ON a.artist_id = c.id
                  WHERE c.seq > ?1 AND c.kind = 'artist'
                """
            let artists = "SELECT DISTINCT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'artist'"
            try index("artwork", ids: artworks, after: done, texts: Self.artworkTexts, in: db)
            try index("artist", ids: artists, after: done, texts: Self.artistTexts, in: db)
            try db.cachedStatement(
                sql: """
                    INSERT INTO meta (key, value) VALUES ('indexed_change', ?)
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value
                    """
            ).execute(arguments: [last])
        }
    }

    /// Whether the index lacks what came since it was last brought up to date: a run that does that at its end has not ended,
    /// or was stopped before it could.
    package func isIndexBehind() throws -> Bool {
        guard try fact(.loading) == nil else { return true }
        return try readStatement { db in
            try Bool.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM change NOT INDEXED WHERE kind IN ('artwork', 'artist')
                          AND seq > coalesce(
                            (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed_change'), 0))
                        """)) ?? false
        }
    }

    /// Makes the search index anew, whatever state it is in.
    package func rebuildSearchIndex() throws {
        try write { db in
            try db.execute(sql: "DROP TABLE IF EXISTS search")
            try db.execute(sql: Schema.searchIndex)
            try db.execute(sql: "DELETE FROM search_entry")
            for (kind, texts) in [("artwork", Self.artworkTexts), ("artist", Self.artistTexts)] {
                try index(kind, ids: "", after: 0, texts: texts, in: db)
            }
            try db.execute(
                sql: """
                    INSERT INTO meta (key, value)
                    VALUES ('indexed_change', (SELECT coalesce(max(seq), 0) FROM change))
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value
                    """)
        }
    }

    private static let artworkTexts = """
        o.title, (SELECT group_concat(coalesce(p.display_name, p.name), ' ') FROM artwork_artist a
          JOIN artist p ON p.id = a.artist_id AND p.ghost = 0 WHERE a.artwork_id = o.id),
        \(joined("medium", "category", "date", "series", "inventory_id"))
        """
    private static let artistTexts = """
        coalesce(o.name, o.display_name), NULL, \(joined("display_name", "nationality", "years", "blurb"))
        """

    private static func joined(_ columns: String...) -> String {
        columns.map { "coalesce(o.\($0), '')" }.joined(separator: " || ' ' || ")
    }

    private func index(_ kind: String, ids: String, after done: Int64, texts: String, in db: Database) throws
    {
        let isEmpty = "SELECT NOT EXISTS (SELECT 1 FROM search_entry WHERE kind = ?)"
        if try Bool.fetchOne(db.cachedStatement(sql: isEmpty), arguments: [kind]) == true {
            let isAny = "SELECT EXISTS (SELECT 1 FROM \"\(kind)\" WHERE ghost = 0)"
            guard try Bool.fetchOne(db.cachedStatement(sql: isAny)) == true else { return }
            // The first time there is nothing to take out, and everything to put in: entries are numbered as the rows are,
            // behind those of other kinds, so that none has to be looked up.
            let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM search_entry") ?? 0
            // Of terms that are gathered before they are written: twice as many as by default save merging later.
            try db.execute(sql: "INSERT INTO search (search, rank) VALUES ('hashsize', 2097152)")
            // Nor are they merged before all are there: later changes do that, little by little.
            try setMerging(false, in: db)
            try db.execute(
                sql: """
                    INSERT INTO search_entry (number, kind, id) SELECT o.rowid + ?, ?, o.id FROM "\(kind)" o WHERE o.ghost = 0
                    """, arguments: [last, kind])
            try db.execute(
                sql: """
                    INSERT INTO search (rowid, title, artist, text) SELECT o.rowid + ?, \(texts)
                    FROM "\(kind)" o WHERE o.ghost = 0
                    """, arguments: [last])
            return try setMerging(true, in: db)
        }
        try prepareReindexed(in: db)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO reindexed \(ids)").execute(arguments: [done])
        guard db.changesCount > 0 else { return }
        // What changed leads (hence CROSS JOIN), and not what there is.
        try db.cachedStatement(
            sql: """
                DELETE FROM search WHERE rowid IN (
                  SELECT e.number FROM reindexed r CROSS JOIN search_entry e ON e.kind = ? AND e.id = r.id)
                """
        ).execute(arguments: [kind])
        try db.cachedStatement(
            sql: """
                DELETE FROM search_entry WHERE kind = ?1 AND id IN (SELECT id FROM reindexed)
                  AND NOT EXISTS (SELECT 1 FROM "\(kind)" o WHERE o.id = search_entry.id AND o.ghost = 0)
                """
        ).execute(arguments: [kind])
        try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO search_entry (kind, id)
                SELECT ?, o.id FROM reindexed r CROSS JOIN "\(kind)" o ON o.id = r.id WHERE o.ghost = 0
                """
        ).execute(arguments: [kind])
        try db.cachedStatement(
            sql: """
                INSERT INTO search (rowid, title, artist, text)
                SELECT e.number, \(texts) FROM reindexed r CROSS JOIN "\(kind)" o ON o.id = r.id
                CROSS JOIN search_entry e ON e.kind = ? AND e.id = o.id WHERE o.ghost = 0
                """
        ).execute(arguments: [kind])
    }

    /// Whether the segments of the index are merged as it grows, as they are by SQLite's default.
    private func setMerging(_ merges: Bool, in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO search (search, rank) VALUES ('automerge', ?)", arguments: [merges ? 4 : 0])
    }

    /// An empty table of ids, for this connection. To make one, even where there is one, makes all prepared statements void.
    private func prepareReindexed(in db: Database) throws {
        let isThere = "SELECT EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'reindexed')"
        if try Bool.fetchOne(db.cachedStatement(sql: isThere)) != true {
            try db.execute(sql: "CREATE TEMP TABLE reindexed (id TEXT PRIMARY KEY)")
        }
        try db.cachedStatement(sql: "DELETE FROM reindexed").execute()
    }
}
