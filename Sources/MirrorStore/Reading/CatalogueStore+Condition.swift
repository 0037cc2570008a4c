import GRDB

extension CatalogueStore {
    /// Albums with local edits that wait to be pushed, and those of which the server refused one. What was added to an album
    /// that the server won't make waits for nothing.
    public func pendingEdits() throws -> (waiting: Int, refused: Int) {
        try read { db in
            // A watch asks this at every tick, so it is compiled once.
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT coalesce(sum(waits), 0), coalesce(sum(refused), 0) FROM (
                          SELECT sync_state = 'sync_needed' OR deleted OR acknowledged = 1 AND id IN (
                              SELECT album_id FROM album_artwork WHERE pending IS NOT NULL AND failure IS NULL) AS waits,
                            sync_state = 'sync_failed' OR id IN (
                              SELECT album_id FROM album_artwork WHERE pending IS NOT NULL AND failure IS NOT NULL)
                              AS refused
                          FROM album)
                        """))
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }
}
