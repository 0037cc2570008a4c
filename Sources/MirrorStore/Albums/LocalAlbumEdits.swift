import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// SQL: the number of the next edit.
    ///
    /// The edits of all albums have one sequence of numbers. So the order of two edits is known even if the clock was changed
    /// between them.
    static let nextEdit = "(SELECT max(edit) + 1 FROM album)"

    /// Creates an album locally. The next sync creates it on the server.
    ///
    /// It gets its final id when the server acknowledges the creation. Until then no sweep deletes it.
    ///
    /// - Parameter key: the idempotency key. It is stored before anything is sent, so that a retry creates no second album.
    package func createAlbum(_ record: ObjectRecord, key: String) throws {
        try write { db in
            try ObjectWriter(log: ChangeLog(self, db, run: nil)).writeAndSettle(record)
            try db.run(
                """
                UPDATE album SET sync_state = 'sync_needed', acknowledged = 0, idempotency_key = ?, edited_at = ?,
                  edit = \(Self.nextEdit), base_etag = NULL, base = NULL, local_id = id WHERE id = ?
                """, [key, try serverTime(in: db), record.id])
            try indexAlbum(record.id, in: db)
        }
    }

    /// Edits an album's own fields locally.
    ///
    /// Until the edit is pushed, `mirror serve` still sends the origin's version of the album.
    ///
    /// If the same edit was refused before, it is pushed again.
    ///
    /// - Parameters:
    ///   - newKey: makes an idempotency key. It is called if the album is a restored album, because the edit then creates a new
    ///     album (``AlbumRevival``).
    ///   - change: returns the new record, given the stored JSON. It is called in the transaction, so that fields that a sync
    ///     has just stored aren't overwritten with older ones.
    /// - Returns: whether the album exists.
    package func editAlbum(
        _ id: String, newKey: () -> String, _ change: (_ json: String) throws -> ObjectRecord
    ) throws -> Bool {
        try write { db in
            let stored = """
                SELECT etag, acknowledged, sync_state, base_etag, base, json, coalesce(served, json), served_etag
                FROM album WHERE id = ? AND deleted = 0
                """
            guard var row = try db.row(stored, [id]), let json: String = row[5] else { return false }
            let record = try change(json)
            if ExactText.same(row[5], record.json) {
                try db.run(
                    """
                    UPDATE album SET sync_state = 'sync_needed', sync_failure = NULL
                    WHERE id = ? AND sync_state = 'sync_failed'
                    """, [record.id])
                return true
            }
            if try AlbumRevival.isRestored(id, in: db) {
                try AlbumRevival.revive(id, key: newKey(), editedAt: serverTime(in: db), in: db)
                row = try db.row(stored, [id]) ?? row
            }
            let isFirst = row[2] == "in_sync", acknowledged: Bool = row[1]
            let etag: String? = isFirst ? row[0] : row[3]
            let base: String? = isFirst && acknowledged ? row[5] : row[4]
            try db.run("UPDATE album SET sync_state = 'in_sync' WHERE id = ?", [record.id])
            try ObjectWriter(log: ChangeLog(self, db, run: nil)).writeAndSettle(record)
            try db.run(
                """
                UPDATE album SET sync_state = 'sync_needed', sync_failure = NULL, acknowledged = ?, etag = ?,
                  base_etag = ?, base = ?, served = ?, served_etag = ?, edited_at = ?, edit = \(Self.nextEdit)
                WHERE id = ?
                """,
                [
                    acknowledged, row[0] as String?, etag, base, row[6] as String?, row[7] as String?,
                    try serverTime(in: db), record.id,
                ])
            try indexAlbum(record.id, in: db)
            return true
        }
    }

    /// Adds an artwork to an album locally, or removes it. The next sync pushes the edit.
    ///
    /// - Each added or removed artwork is a separate edit, which is merged with the server's list. It doesn't wait for edits of
    ///   the album's fields, and never conflicts with them.
    /// - If the server refused the same edit before, it is pushed again.
    /// - If the edit undoes an edit that was not sent, nothing is pushed. If the earlier edit was sent, it may have reached the
    ///   server, so the opposite edit is pushed.
    ///
    /// - Parameter newKey: makes an idempotency key. It is called if the album is a restored album, because the edit then creates
    ///   a new album (``AlbumRevival``).
    /// - Returns: whether the album and the artwork exist.
    package func editAlbum(
        _ album: String, artwork: String, present: Bool, newKey: () -> String
    ) throws -> Bool {
        try write { db in
            let exists = "SELECT count(*) FROM album WHERE id = ? AND deleted = 0"
            guard try db.number(exists, [album]) == 1 else { return false }
            let member =
                "SELECT listed, pending, sent FROM album_artwork WHERE album_id = ? AND artwork_id = ?"
            var row = try db.row(member, [album, artwork])
            // A member can be removed even if the artwork isn't stored.
            let isStored = try StoredRow.find(.artwork, artwork, in: db).map { !$0.ghost } ?? false
            guard isStored || (!present && row != nil) else { return false }
            let isChange = present ? row == nil || row?["pending"] == "remove" : row != nil
            if try isChange && AlbumRevival.isRestored(album, in: db) {
                try AlbumRevival.revive(album, key: newKey(), editedAt: serverTime(in: db), in: db)
                row = try db.row(member, [album, artwork])
            }
            let isListed: Bool = row?[0] ?? false, pending: String? = row?[1], isSent: Bool = row?[2] ?? false
            switch (present, row != nil, pending) {
            case (true, false, _):
                try db.run(
                    """
                    INSERT INTO album_artwork (album_id, artwork_id, position, listed, pending)
                    SELECT ?1, ?2, coalesce(max(position) + 1, 0), 0, 'add' FROM album_artwork WHERE album_id = ?1
                    """, [album, artwork])
            case (true, true, .some): try setPending(isListed && !isSent ? nil : "add", album, artwork, db)
            case (false, true, "add") where !isListed && !isSent:
                try removeRow(artwork, album, db)
            case (false, true, _): try setPending("remove", album, artwork, db)
            default: return true
            }
            // If the server refused to create the album, the creation is pushed again with this edit.
            try db.run(
                """
                UPDATE album SET sync_state = 'sync_needed', sync_failure = NULL
                WHERE id = ? AND acknowledged = 0 AND sync_state = 'sync_failed'
                """, [album])
            return true
        }
    }

    /// Whether the server may have the album, so that a deletion has to be pushed.
    package func isAlbumOnServer(_ id: String) throws -> Bool {
        try read { db in
            let isOnServer = "SELECT acknowledged OR sent IS NOT NULL FROM album WHERE id = ?"
            return try db.isTrue(isOnServer, [id])
                && !AlbumRevival.isRestored(id, in: db)
        }
    }

    /// Marks an album as deleted locally. The next sync deletes it on the server.
    ///
    /// If the server can't have the album, or it is a restored album, it is removed at once and nothing is pushed.
    ///
    /// - Returns: whether the album existed.
    package func deleteAlbum(_ id: String) throws -> Bool {
        try write { db in
            let row = try db.row("SELECT acknowledged OR sent IS NOT NULL FROM album WHERE id = ?", [id])
            guard let row else { return false }
            let isRestored = try AlbumRevival.isRestored(id, in: db)
            guard row[0] && !isRestored else {
                let evidence = isRestored ? Evidence.deletedHere : .deletedHereBeforePush
                try ObjectRemover(log: ChangeLog(self, db, run: nil))
                    .removeAndSettle(.album, id, evidence: evidence)
                return true
            }
            try db.run(
                """
                UPDATE album SET deleted = 1, edited_at = ?, edit = \(Self.nextEdit), sync_failure = NULL,
                  base_etag = CASE sync_state WHEN 'in_sync' THEN etag ELSE base_etag END,
                  base = CASE sync_state WHEN 'in_sync' THEN json ELSE base END,
                  sync_state = CASE sync_state WHEN 'sync_failed' THEN 'sync_needed' ELSE sync_state END
                WHERE id = ?
                """, [try serverTime(in: db), id])
            return true
        }
    }

    /// The current time by the server's clock, from the measured difference of the clocks.
    private func serverTime(in db: Database) throws -> String {
        Self.text(of: now().addingTimeInterval(try Self.clockOffset(in: db)))
    }

    private func setPending(_ pending: String?, _ album: String, _ artwork: String, _ db: Database) throws {
        try db.run(
            "UPDATE album_artwork SET pending = ?, failure = NULL WHERE album_id = ? AND artwork_id = ?",
            [pending, album, artwork])
    }
}

/// Turns a restored album into a locally created one when it is edited.
///
/// A *restored album* was deleted by the server, and was stored again by a restore. The server has no album with its id. An edit
/// that is pushed to this id would fail, and the sync would then delete the album locally. So an edit makes it a
/// new album: the next sync creates it on the server, where it gets a new id, and adds all its artworks
/// (``addAllArtworks(of:in:)``).
///
/// If the server lists the old album again before that, the edit is merged with the listed album, as any other edit is.
enum AlbumRevival {
    /// Whether the album is a restored album.
    ///
    /// An album that exists on the server and was restored to an earlier state is not one.
    static func isRestored(_ id: String, in db: Database) throws -> Bool {
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

    /// Turns a restored album into a locally created one.
    ///
    /// - Parameters:
    ///   - id: the id of a restored album (``isRestored(_:in:)``).
    ///   - key: the idempotency key of the creation.
    ///   - editedAt: the current time by the server's clock.
    static func revive(_ id: String, key: String, editedAt: String, in db: Database) throws {
        try db.run(
            """
            UPDATE album SET kept = 0, refetch = 0, acknowledged = 0, sync_state = 'sync_needed', sync_failure = NULL,
              idempotency_key = ?, sent = NULL, etag = NULL, base_etag = NULL, base = NULL, local_id = id,
              served = NULL, edited_at = ?, edit = \(CatalogueStore.nextEdit) WHERE id = ?
            """, [key, editedAt, id])
    }

    /// Marks all artworks of an album as edits to push, and removes artworks that wait to be removed.
    ///
    /// Call it when the server has created the album. If it was a restored album, the new album on the server has none of the
    /// deleted album's artworks, so all of them must be added. An album that was created locally from the start has no artworks
    /// of this kind, and doesn't change.
    ///
    /// - Parameter id: the album's id before it gets the one from the server.
    static func addAllArtworks(of id: String, in db: Database) throws {
        let isUnknown = "album_id IN (SELECT id FROM album WHERE id = ? AND acknowledged = 0)"
        try db.run(
            "DELETE FROM album_artwork WHERE \(isUnknown) AND pending = 'remove' AND listed = 1 AND sent = 0",
            [id])
        try db.run(
            "UPDATE album_artwork SET listed = 0, pending = 'add' WHERE \(isUnknown) AND pending IS NULL",
            [id])
    }
}
