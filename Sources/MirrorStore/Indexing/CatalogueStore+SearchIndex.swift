import GRDB

extension CatalogueStore {
    /// Brings the search index up to date with everything that changed since it last was, killed runs included.
    ///
    /// Idempotent. An artist's new name reaches the artist's artworks too.
    package func updateSearchIndex() throws {
        try write { db in
            let last = try lastChange(in: db)
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
            for text in SearchText.all { try index(text, ids: "", after: 0, in: db) }
            try noteIndexed(lastChange(in: db), in: db)
        }
    }

    func emptySearchIndex(in db: Database) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS search")
        try db.execute(sql: Schema.searchIndex)
        try db.execute(sql: "DELETE FROM search_entry")
    }

    static func hasNoEntries(_ db: Database) throws -> Bool {
        try db.isTrue("SELECT NOT EXISTS (SELECT 1 FROM search_entry)")
    }

    // MARK: - What changed

    private func lastChange(in db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(seq) FROM change")) ?? 0
    }

    private func noteIndexed(_ change: Int64, in db: Database) throws {
        try db.run(
            """
            INSERT INTO meta (key, value) VALUES ('indexed_change', ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, [change])
    }

    private func index(_ text: SearchText, ids: String, after done: Int64, in db: Database) throws {
        let kind = text.kind.name
        let isEmpty = "SELECT NOT EXISTS (SELECT 1 FROM search_entry WHERE kind = ?)"
        if try db.isTrue(isEmpty, [kind]) {
            // The first time there is nothing to take out, and everything to put in.
            guard try Bool.fetchOne(db, sql: text.hasAny) == true else { return }
            let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM search_entry") ?? 0
            for sql in SearchText.beginFilling { try db.execute(sql: sql) }
            try db.execute(sql: text.enterAll, arguments: [last])
            try db.execute(sql: text.insertAll, arguments: [last])
            return try db.execute(sql: SearchText.endFilling)
        }
        // Found anew by each of the statements: to gather them in a table of the connection's own would make all that it has
        // prepared void. What changed leads (hence CROSS JOIN), and not what there is.
        let reindexed = "WITH reindexed (id) AS MATERIALIZED (\(ids))"
        guard try db.isTrue("SELECT EXISTS (\(ids))", [done]) else { return }
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
    }
}
