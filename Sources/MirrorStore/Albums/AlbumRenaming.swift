import Catalogue
import GRDB

/// Gives an album that was made here the server's id, with all that was noted under the earlier one.
struct AlbumRenaming {
    let log: ChangeLog

    private var db: Database { log.db }

    /// The server's list may have brought the album in already, before it was known to be this one: then there are two rows,
    /// and a person may have edited either.
    func rename(_ local: String, to id: String) throws {
        guard try StoredRow.find(.album, local, in: db) != nil else { return }
        let artworks = Membership(of: Owner(.album, id))
        var listed: [String]?
        if try StoredRow.find(.album, id, in: db) != nil {
            listed = try artworks?.ids(in: db)
            try mergeFields(of: id, into: local)
            try mergeArtworks(of: id, into: local)
            try db.run("DELETE FROM album WHERE id = ?", [id])
        }
        try db.run("UPDATE album SET id = ?1, json = json_set(json, '$.id', ?1) WHERE id = ?2", [id, local])
        // What the server is known to have in it, and what of that is wanted otherwise.
        if let listed { try artworks?.replace(with: listed, in: db) }
        for table in ["conflict", "note"] {
            try db.run("UPDATE \(table) SET id = ? WHERE kind = 'album' AND id = ?", [id, local])
        }
        // Of a restored album, that the server deleted the earlier one stays what it was: whoever this mirror is served to
        // has yet to learn it.
        try db.run(
            """
            UPDATE change SET id = ?1 WHERE kind = 'album' AND id = ?2 AND seq > coalesce((
              SELECT max(seq) FROM change WHERE kind = 'album' AND id = ?2 AND action = 'delete'), 0)
            """, [id, local])
    }

    /// The later edit of the two holds, by the count of edits: both were made here, where the clock may have been set in
    /// between.
    ///
    /// Who deletes the server's row while artworks are to be added to the other wants one of them to stay: it does, and the
    /// log says so.
    private func mergeFields(of id: String, into local: String) throws {
        let isStillWanted = try db.isTrue(
            """
            SELECT t.deleted AND EXISTS (SELECT 1 FROM album_artwork WHERE album_id = ? AND pending IS NOT NULL)
            FROM album t WHERE t.id = ?
            """, [local, id])
        guard isStillWanted != true else {
            let json = try StoredRow.find(.album, id, in: db)?.json
            return try AlbumArrival(log: log).note(.server, id, server: json)
        }
        try db.run(
            """
            UPDATE album SET name = t.name, description = t.description, private = t.private, json = t.json,
              deleted = t.deleted, edited_at = t.edited_at, sync_state = 'sync_needed', sync_failure = NULL,
              edit = \(CatalogueStore.nextEdit)
            FROM album t WHERE album.id = ? AND t.id = ? AND (t.sync_state <> 'in_sync' OR t.deleted)
              AND t.edit > album.edit
            """, [local, id])
    }

    /// What waits to be pushed of the server's row, beside what waits of the one made here.
    private func mergeArtworks(of id: String, into local: String) throws {
        try db.run(
            """
            INSERT INTO album_artwork (album_id, artwork_id, position, listed, pending, failure, sent)
            SELECT ?1, artwork_id, position + 1 + (
              SELECT coalesce(max(position), -1) FROM album_artwork WHERE album_id = ?1), listed, pending, failure,
              sent
            FROM album_artwork WHERE album_id = ?2 AND pending IS NOT NULL
              AND artwork_id NOT IN (SELECT artwork_id FROM album_artwork WHERE album_id = ?1)
            """, [local, id])
    }
}
