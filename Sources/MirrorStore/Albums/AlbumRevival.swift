import GRDB

/// Makes a restored album, which the server deleted, one that was made here.
///
/// A restored album is a copy for reading: there is nothing on the server that an edit of it could change, and a push would
/// find it gone and take it away here, too. So whoever edits it wants it back: it becomes a new album, which the next sync makes
/// on the server, under an id that the server gives it, and then all its artworks are added there (``artworksAreNew(of:)``).
///
/// Should the server list the old one again before that, this is that one: what was edited of it merges as any other edit.
struct AlbumRevival {
    let db: Database
    /// Makes the key under which the creation will be sent.
    let newKey: () -> String

    /// Whether the album is only a restored copy. One of which just an earlier state was put back is still on the server.
    static func isCopy(_ id: String, in db: Database) throws -> Bool {
        try db.isTrue(
            """
            SELECT kept AND coalesce(
              (SELECT c.action = 'create' AND c.evidence LIKE 'restored%' FROM change c
                WHERE c.kind = 'album' AND c.id = album.id AND c.action IN ('create', 'delete')
                ORDER BY c.seq DESC LIMIT 1),
              NOT EXISTS (SELECT 1 FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                WHERE l.owner_kind = 'partner' AND l.name = 'albums' AND m.id = album.id))
            FROM album WHERE id = ?
            """, [id])
    }

    /// Does nothing to any other album. Idempotent.
    ///
    /// - Parameter editedAt: now, by the server's clock.
    func revive(_ id: String, editedAt: String) throws {
        guard try Self.isCopy(id, in: db) else { return }
        try db.run(
            """
            UPDATE album SET kept = 0, refetch = 0, acknowledged = 0, sync_state = 'sync_needed', sync_failure = NULL,
              idempotency_key = ?, sent = NULL, etag = NULL, base_etag = NULL, base = NULL, local_id = id,
              served = NULL, edited_at = ?, edit = \(CatalogueStore.nextEdit) WHERE id = ?
            """, [newKey(), editedAt, id])
    }

    /// An album that is new on the server has none of the artworks in it that the earlier one had, and nothing has to be taken
    /// out of it. Of one that was always made here there are none.
    ///
    /// - Parameter id: the album, before it gets the id that the server gave it.
    static func artworksAreNew(of id: String, in db: Database) throws {
        let isUnknown = "album_id IN (SELECT id FROM album WHERE id = ? AND acknowledged = 0)"
        try db.run(
            "DELETE FROM album_artwork WHERE \(isUnknown) AND pending = 'remove' AND listed = 1 AND sent = 0",
            [id])
        try db.run(
            "UPDATE album_artwork SET listed = 0, pending = 'add' WHERE \(isUnknown) AND pending IS NULL",
            [id])
    }
}
