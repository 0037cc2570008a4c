import Catalogue
import GRDB

extension CatalogueStore {
    /// Records that the creation of an album is about to be sent.
    ///
    /// If the answer is lost, the next sync first looks for the album on the server, and only then sends the creation again.
    /// If the album was edited since, the creation gets a new idempotency key: for the same key, the server would answer
    /// with the album that it created first, without the edit.
    ///
    /// The record is synced to the disk when this returns. If a power cut could lose it, a later edit would be sent with the
    /// first key.
    ///
    /// - Returns: the album to send; `nil` if it isn't stored any more.
    package func recordAlbumCreation(_ id: String) throws -> PendingAlbum? {
        try writeDurably { db in
            try db.run(
                """
                UPDATE album SET
                  idempotency_key = CASE WHEN json_extract(sent, '$.edit') <> edit
                    THEN idempotency_key || '-' || edit ELSE idempotency_key END,
                  sent = json_object('name', name, 'description', description, 'private', private, 'edit', edit,
                    'change', coalesce(json_extract(sent, '$.change'), (SELECT max(seq) FROM change), 0))
                WHERE id = ? AND deleted = 0
                """, [id])
            return try Self.pendingAlbum(id, in: db)
        }
    }

    /// The albums of the server that a creation without an answer may have created.
    ///
    /// Albums that were created locally under another id, or were stored before the creation was sent, are left out.
    package func albumsPossiblyCreated(by sent: SentCreation, among ids: [String]) throws -> [String] {
        try read { db in
            let known = try db.textSet(
                """
                SELECT id FROM album WHERE acknowledged = 1 AND (local_id IS NOT NULL OR NOT EXISTS (
                  SELECT 1 FROM change WHERE kind = 'album' AND change.id = album.id AND action = 'create'
                    AND seq > ?))
                """, [sent.change])
            return ids.filter { !known.contains($0) }
        }
    }

    /// Applies the server's answer to a pushed album. A new album gets the id that the server gave it. Idempotent.
    ///
    /// The answer is applied only if the album was not edited during the request. Otherwise only the server's id and version
    /// are stored, and the newer edit is pushed by the next sync.
    ///
    /// A new id is synced to the disk when this returns. If a power cut lost it after a further edit was pushed, the album
    /// could no longer be found on the server by the fields that were sent first.
    ///
    /// - Parameter edit: the value of ``PendingAlbum/editNumber`` when the request was sent.
    package func acknowledgeAlbum(_ local: String, with record: ObjectRecord, edit: Int, run: Int64?) throws {
        func apply(_ db: Database) throws {
            let log = try ChangeLog(self, db, run: run)
            try log.loggingServedChange(ofAlbum: record.id) {
                try acknowledge(local, with: record, edit: edit, log: log)
            }
        }
        if local == record.id { try write(apply) } else { try writeDurably(apply) }
    }

    private func acknowledge(_ local: String, with record: ObjectRecord, edit: Int, log: ChangeLog) throws {
        let db = log.db
        try AlbumRevival.addAllArtworks(of: local, in: db)
        if local != record.id { try AlbumRenaming(log: log).rename(local, to: record.id) }
        try unsettle(db)
        let current = try db.number("SELECT edit FROM album WHERE id = ?", [record.id])
        guard current == edit else {
            try db.run(
                """
                UPDATE album SET acknowledged = 1, etag = ?1, base_etag = ?1, base = ?2, sent = NULL,
                  idempotency_key = NULL, served = ?2, served_etag = ?3 WHERE id = ?4
                """, [record.etag, record.json, EntityTag.strong(of: record.json), record.id])
            return
        }
        let arrival = AlbumArrival(log: log)
        // The server may accept an edit and still answer with other fields. Then the local edit is logged as a conflict.
        if try !arrival.hasSameFields(record) {
            try arrival.note(.server, record.id, server: record.json, etag: record.etag)
        }
        try arrival.settle(record.id)
        try ObjectWriter(log: log).writeAndSettle(record)
        try db.run(
            "UPDATE album SET served = NULL, served_etag = ? WHERE id = ?",
            [EntityTag.strong(of: record.json), record.id])
    }

    /// Clears the ETags of the lists that a pushed edit makes out of date.
    ///
    /// The stored album is newer than these lists. If the server returned to that earlier state, the lists' ETags would
    /// vouch for the edited album.
    func unsettle(_ db: Database, artworksOf album: String? = nil) throws {
        try db.run("UPDATE list SET clean_etag = NULL WHERE owner_kind = 'partner' AND name = 'albums'")
        guard let album else { return }
        try db.run(
            "UPDATE list SET etag = NULL WHERE owner_kind = 'album' AND owner_id = ? AND name = 'artworks'",
            [album])
    }

    /// Marks an edit as refused by the server, with the reason. The edit stays stored, but isn't pushed again.
    ///
    /// - Parameter edit: the value of ``PendingAlbum/editNumber`` when the request was sent. A newer edit is not marked. Default:
    ///   any edit.
    package func failAlbum(_ id: String, reason: String, edit: Int? = nil) throws {
        try write { db in
            try db.run(
                """
                UPDATE album SET sync_state = 'sync_failed', sync_failure = ?1, sent = NULL
                WHERE id = ?2 AND edit = coalesce(?3, edit)
                """, [reason, id, edit])
        }
    }

    /// Undoes a local deletion that the server refused, and marks the album with the reason.
    package func failAlbumDeletion(_ id: String, reason: String) throws {
        try write { db in
            try db.run(
                "UPDATE album SET deleted = 0, sync_state = 'sync_failed', sync_failure = ? WHERE id = ?",
                [reason, id])
        }
    }

    /// Removes a locally deleted album, because the server has deleted it, too. Idempotent.
    package func acknowledgeAlbumDeletion(_ id: String, run: Int64?) throws {
        try write { db in
            guard try StoredRow.find(.album, id, in: db) != nil else { return }
            try unsettle(db)
            try ObjectRemover(log: ChangeLog(self, db, run: run))
                .removeAndSettle(.album, id, evidence: .deletedHere)
        }
    }
}

/// Gives a locally created album the server's id, and moves its notes, conflicts and changes to that id.
struct AlbumRenaming {
    let log: ChangeLog

    private var db: Database { log.db }

    /// Renames an album.
    ///
    /// The album may already be stored under the server's id, too, because a list contained it. Then both rows may have local
    /// edits, and they are merged.
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
        // The artworks in the server's list, with the local edits applied.
        if let listed { try artworks?.replace(with: listed, in: db) }
        for table in ["conflict", "note"] {
            try db.run("UPDATE \(table) SET id = ? WHERE kind = 'album' AND id = ?", [id, local])
        }
        try db.run("UPDATE OR REPLACE search_entry SET id = ? WHERE kind = 'album' AND id = ?", [id, local])
        // If the album was restored, the log's deletion of the earlier album keeps its id: clients must learn of it.
        try db.run(
            """
            UPDATE change SET id = ?1 WHERE kind = 'album' AND id = ?2 AND seq > coalesce((
              SELECT max(seq) FROM change WHERE kind = 'album' AND id = ?2 AND action = 'delete'), 0)
            """, [id, local])
    }

    /// Merges the fields of the server's row into the local one: the later edit wins, by the number of the edit. The clock may
    /// have been set between the two.
    ///
    /// If the server's row was deleted locally while the other has pending artworks, one of them is still wanted. The
    /// deletion is dropped and logged as a conflict.
    private func mergeFields(of id: String, into local: String) throws {
        let isStillWanted = try db.isTrue(
            """
            SELECT t.deleted AND EXISTS (SELECT 1 FROM album_artwork WHERE album_id = ? AND pending IS NOT NULL)
            FROM album t WHERE t.id = ?
            """, [local, id])
        guard !isStillWanted else {
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

    /// Adds the pending artworks of the server's row to those of the local row.
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
