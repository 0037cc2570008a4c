import Catalogue
import GRDB

extension CatalogueStore {
    /// Notes, before anything is sent, that an album's creation is: whatever becomes of the answer, it is looked for
    /// before it is sent once more. What was edited since it was sent has another key: a server that honours keys would
    /// answer with what it made under the first.
    ///
    /// It is on the disk when this returns: were it lost with the power, an edit that is made then would go out under the key
    /// of the first, and be taken for what that made.
    ///
    /// - Returns: the album as it is to be sent, which is as it was noted; `nil` if it isn't here any more.
    package func willCreateAlbum(_ id: String) throws -> PendingAlbum? {
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

    /// Those of the server's albums that a lost creation may have made: not made here under another id, and not known
    /// before it was sent.
    package func albumsUnknown(before sent: SentCreation, among ids: [String]) throws -> [String] {
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

    /// Applies the server's answer to a pushed album. A new album takes the id that the server gave it.
    ///
    /// An answer is applied only if the row did not change during the request; otherwise the server's id and version are
    /// noted, and the newer edit is pushed next time. Idempotent.
    ///
    /// The id that a new album gets is on the disk when this returns: were it lost with the power after a further edit was
    /// pushed under it, no search could know the album again by what was sent first.
    ///
    /// - Parameter edit: the count of edits as it was when the request was sent.
    package func acknowledgeAlbum(_ local: String, with record: ObjectRecord, edit: Int, run: Int64?) throws {
        func apply(_ db: Database) throws {
            let log = try ChangeLog(self, db, run: run)
            try log.watching(album: record.id) { try acknowledge(local, with: record, edit: edit, log: log) }
        }
        if local == record.id { try write(apply) } else { try writeDurably(apply) }
    }

    private func acknowledge(_ local: String, with record: ObjectRecord, edit: Int, log: ChangeLog) throws {
        let db = log.db
        try AlbumRevival.artworksAreNew(of: local, in: db)
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
        // A server may say that it took an edit, and have done something else: then what was edited here is in the log.
        if try !arrival.saysTheSame(record) {
            try arrival.note(.server, record.id, server: record.json, etag: record.etag)
        }
        try arrival.settle(record.id)
        try ObjectWriter(log: log).writeAlone(record)
        try db.run(
            "UPDATE album SET served = NULL, served_etag = ? WHERE id = ?",
            [EntityTag.strong(of: record.json), record.id])
    }

    /// What is here is newer than the lists from which it was made: should the server go back to what they said, their
    /// ETags must not vouch for what was pushed in between.
    func unsettle(_ db: Database, artworksOf album: String? = nil) throws {
        try db.run("UPDATE list SET clean_etag = NULL WHERE owner_kind = 'partner' AND name = 'albums'")
        guard let album else { return }
        try db.run(
            "UPDATE list SET etag = NULL WHERE owner_kind = 'album' AND owner_id = ? AND name = 'artworks'",
            [album])
    }

    /// The server refused an edit for good: it stays here, marked, with the reason, and isn't tried for ever.
    ///
    /// - Parameter edit: the count of edits as it was when the request was sent: one that came since is still to be tried.
    package func failAlbum(_ id: String, reason: String, edit: Int? = nil) throws {
        try write { db in
            try db.run(
                """
                UPDATE album SET sync_state = 'sync_failed', sync_failure = ?1, sent = NULL
                WHERE id = ?2 AND edit = coalesce(?3, edit)
                """, [reason, id, edit])
        }
    }

    /// The server refused to delete an album for good: it is here again, marked, with the reason.
    package func failAlbumDeletion(_ id: String, reason: String) throws {
        try write { db in
            try db.run(
                "UPDATE album SET deleted = 0, sync_state = 'sync_failed', sync_failure = ? WHERE id = ?",
                [reason, id])
        }
    }

    /// The server deleted the album, or had done so before.
    package func acknowledgeAlbumDeletion(_ id: String, run: Int64?) throws {
        try write { db in
            guard try StoredRow.find(.album, id, in: db) != nil else { return }
            try unsettle(db)
            try ObjectRemover(log: ChangeLog(self, db, run: run))
                .removeAlone(.album, id, evidence: "deleted here")
        }
    }
}

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
