import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// Edits are counted over all albums: of two that were made here, the one with the higher number is the later, however
    /// the clock was set in between.
    static let nextEdit = "(SELECT max(edit) + 1 FROM album)"

    /// Makes a new album here. It gets its final id when the server acknowledges it, and until then is never swept.
    ///
    /// - Parameter key: made once, stored before anything is sent, so that an answer that is lost makes no second album.
    package func createAlbum(_ record: ObjectRecord, key: String) throws {
        try write { db in
            try ObjectWriter(log: ChangeLog(self, db, run: nil)).writeAlone(record)
            try db.run(
                """
                UPDATE album SET sync_state = 'sync_needed', acknowledged = 0, idempotency_key = ?, edited_at = ?,
                  edit = \(Self.nextEdit), base_etag = NULL, base = NULL, local_id = id WHERE id = ?
                """, [key, try serverTime(in: db), record.id])
        }
    }

    /// Changes an album's own fields here. What the server said of it stays what is served to others. What was refused is
    /// tried again when it is said again.
    ///
    /// - Parameters:
    ///   - newKey: makes the key of a creation, which the edit of a restored copy is (``AlbumRevival``).
    ///   - change: makes the new record of the JSON that is stored. It is called within the transaction: a sync
    ///     beside this may just have brought other fields, which an edit made of the earlier ones would push back.
    /// - Returns: whether the album is there.
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
            if try AlbumRevival.isCopy(id, in: db) {
                try AlbumRevival.revive(id, key: newKey(), editedAt: serverTime(in: db), in: db)
                row = try db.row(stored, [id]) ?? row
            }
            let isFirst = row[2] == "in_sync", acknowledged: Bool = row[1]
            let etag: String? = isFirst ? row[0] : row[3]
            let base: String? = isFirst && acknowledged ? row[5] : row[4]
            try db.run("UPDATE album SET sync_state = 'in_sync' WHERE id = ?", [record.id])
            try ObjectWriter(log: ChangeLog(self, db, run: nil)).writeAlone(record)
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
            return true
        }
    }

    /// Adds an artwork to an album here, or takes it out; pushed with the next sync.
    ///
    /// A single edit: it merges with the server's list, and neither waits for nor conflicts with the album's own fields. An
    /// edit that the server refused is tried again when it is made again. One that is taken back before it was sent is as if
    /// it had not been made; one that the server may have got is followed by its opposite.
    ///
    /// - Parameter newKey: makes the key of a creation, which the edit of a restored copy is (``AlbumRevival``).
    /// - Returns: whether album and artwork are there.
    package func editAlbum(
        _ album: String, artwork: String, present: Bool, newKey: () -> String
    ) throws -> Bool {
        try write { db in
            let here = "SELECT count(*) FROM album WHERE id = ? AND deleted = 0"
            guard try db.number(here, [album]) == 1 else { return false }
            let member =
                "SELECT listed, pending, sent FROM album_artwork WHERE album_id = ? AND artwork_id = ?"
            var row = try db.row(member, [album, artwork])
            // What is a member may be taken out, though it isn't stored.
            let isStored = try StoredRow.find(.artwork, artwork, in: db).map { !$0.ghost } ?? false
            guard isStored || (!present && row != nil) else { return false }
            let isOther = present ? row == nil || row?["pending"] == "remove" : row != nil
            if try isOther && AlbumRevival.isCopy(album, in: db) {
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
                try leave(artwork, album, db)
            case (false, true, _): try setPending("remove", album, artwork, db)
            default: return true
            }
            // An album that the server would not make is tried again with what is new about it.
            try db.run(
                """
                UPDATE album SET sync_state = 'sync_needed', sync_failure = NULL
                WHERE id = ? AND acknowledged = 0 AND sync_state = 'sync_failed'
                """, [album])
            return true
        }
    }

    /// Whether the server may have the album, so that a deletion of it is to be pushed.
    package func isAlbumOnServer(_ id: String) throws -> Bool {
        try read { db in
            let isKnown = "SELECT acknowledged OR sent IS NOT NULL FROM album WHERE id = ?"
            return try db.isTrue(isKnown, [id])
                && !AlbumRevival.isCopy(id, in: db)
        }
    }

    /// Marks an album as deleted here. One that the server can't know of goes at once, and so does a restored copy.
    ///
    /// - Returns: whether it was there.
    package func deleteAlbum(_ id: String) throws -> Bool {
        try write { db in
            let row = try db.row("SELECT acknowledged OR sent IS NOT NULL FROM album WHERE id = ?", [id])
            guard let row else { return false }
            let isCopy = try AlbumRevival.isCopy(id, in: db)
            guard row[0] && !isCopy else {
                let evidence = isCopy ? "deleted here" : "deleted here before it was pushed"
                try ObjectRemover(log: ChangeLog(self, db, run: nil))
                    .removeAlone(.album, id, evidence: evidence)
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

    /// Now, by the server's clock, as far as it was measured.
    private func serverTime(in db: Database) throws -> String {
        Self.text(of: now().addingTimeInterval(try Self.clockOffset(in: db)))
    }

    private func setPending(_ pending: String?, _ album: String, _ artwork: String, _ db: Database) throws {
        try db.run(
            "UPDATE album_artwork SET pending = ?, failure = NULL WHERE album_id = ? AND artwork_id = ?",
            [pending, album, artwork])
    }
}

/// Makes a restored album, which the server deleted, one that was made here.
///
/// A restored album is a copy for reading: there is nothing on the server that an edit of it could change, and a push would
/// find it gone and take it away here, too. So whoever edits it wants it back: it becomes a new album, which the next sync makes
/// on the server, under an id that the server gives it, and then all its artworks are added there (``artworksAreNew(of:)``).
///
/// Should the server list the old one again before that, this is that one: what was edited of it merges as any other edit.
enum AlbumRevival {
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

    /// - Parameters:
    ///   - id: that of a copy (``isCopy(_:in:)``).
    ///   - key: under which the creation will be sent.
    ///   - editedAt: now, by the server's clock.
    static func revive(_ id: String, key: String, editedAt: String, in db: Database) throws {
        try db.run(
            """
            UPDATE album SET kept = 0, refetch = 0, acknowledged = 0, sync_state = 'sync_needed', sync_failure = NULL,
              idempotency_key = ?, sent = NULL, etag = NULL, base_etag = NULL, base = NULL, local_id = id,
              served = NULL, edited_at = ?, edit = \(CatalogueStore.nextEdit) WHERE id = ?
            """, [key, editedAt, id])
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
