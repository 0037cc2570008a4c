import GRDB

extension CatalogueStore {
    /// Applies the server's answer to a pushed album. A new album takes the id that the server gave it.
    ///
    /// An answer is applied only if the row did not change during the request; otherwise the server's id and ETag are
    /// noted, and the newer edit is pushed next time. Idempotent.
    package func acknowledgeAlbum(_ local: String, with record: ObjectRecord, edit: Int, run: Int64?) throws {
        let at = timestamp()
        try write { db in
            let log = try ChangeLog(db: db, run: run, at: at)
            if local != record.id {
                // The server's list may have brought the album in already: that row gives way to the one edited here.
                if try StoredRow.find(.album, record.id, in: db) != nil {
                    try db.execute(sql: "DELETE FROM album WHERE id = ?", arguments: [record.id])
                    try db.execute(
                        sql: "DELETE FROM list WHERE owner_kind = 'album' AND owner_id = ?",
                        arguments: [record.id])
                }
                try db.execute(sql: "UPDATE album SET id = ? WHERE id = ?", arguments: [record.id, local])
                try db.execute(
                    sql: "UPDATE change SET id = ? WHERE kind = 'album' AND id = ?",
                    arguments: [record.id, local])
            }
            let current = try Int.fetchOne(
                db, sql: "SELECT edit FROM album WHERE id = ?", arguments: [record.id])
            guard current == edit else {
                try db.execute(
                    sql: "UPDATE album SET acknowledged = 1, base_etag = ? WHERE id = ?",
                    arguments: [record.etag, record.id])
                return
            }
            try db.execute(
                sql: """
                    UPDATE album SET sync_state = 'in_sync', sync_failure = NULL, acknowledged = 1, base_etag = NULL,
                      idempotency_key = NULL WHERE id = ?
                    """, arguments: [record.id])
            _ = try ObjectWriter(log: log).write(record)
        }
    }

    /// The server has, or no longer has, the artwork in the album: the local mark goes.
    package func acknowledgeAlbumArtwork(_ artwork: String, in album: String, present: Bool) throws {
        try write { db in
            if present {
                try db.execute(
                    sql: """
                        UPDATE album_artwork SET pending = NULL
                        WHERE album_id = ? AND artwork_id = ? AND pending = 'add'
                        """, arguments: [album, artwork])
            } else {
                try db.execute(
                    sql:
                        "DELETE FROM album_artwork WHERE album_id = ? AND artwork_id = ? AND pending = 'remove'",
                    arguments: [album, artwork])
            }
        }
    }

    /// The server refused an edit for good: it stays here, marked, with the reason, and isn't tried for ever.
    package func failAlbum(_ id: String, reason: String) throws {
        try write { db in
            try db.execute(
                sql: "UPDATE album SET sync_state = 'sync_failed', sync_failure = ? WHERE id = ?",
                arguments: [reason, id])
        }
    }

    /// The server deleted the album, or had done so before.
    package func acknowledgeAlbumDeletion(_ id: String, run: Int64?) throws {
        let at = timestamp()
        try write { db in
            guard try StoredRow.find(.album, id, in: db) != nil else { return }
            try ObjectRemover(log: ChangeLog(db: db, run: run, at: at))
                .remove(.album, id, evidence: "deleted here")
        }
    }

    /// Ids of albums that the server is known to have, for adopting one whose creation's answer was lost.
    package func acknowledgedAlbumIDs() throws -> Set<String> {
        try read { try String.fetchSet($0, sql: "SELECT id FROM album WHERE acknowledged = 1") }
    }
}
