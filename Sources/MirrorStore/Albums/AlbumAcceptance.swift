import Catalogue
import GRDB

extension CatalogueStore {
    /// Stores an album that a client created in a catalogue of which this mirror is the origin.
    ///
    /// - Parameter key: the client's `Idempotency-Key`. A second request with it within 24 hours creates nothing.
    /// - Returns: the id of the album: the record's, or that of the first request with the same key.
    package func acceptAlbum(_ record: ObjectRecord, key: String? = nil) throws -> String {
        let time = now().timeIntervalSince1970
        return try write { db in
            // Times more than a day in the future were stored by a wrong clock. They are deleted, too.
            try db.run("DELETE FROM served_request WHERE abs(made_at - ?) > 86400", [time])
            if let key {
                let earlier = "SELECT object_id FROM served_request WHERE key = ?"
                if let id = try db.text(earlier, [key]) { return id }
                try db.run(
                    "INSERT INTO served_request (key, object_id, made_at) VALUES (?, ?, ?)",
                    [key, record.id, time])
            }
            try ObjectWriter(log: ChangeLog(self, db, run: nil)).writeAndSettle(record)
            return record.id
        }
    }

    /// Changes an album of a served catalogue.
    ///
    /// - Parameter change: returns the new record, given the stored album; `nil` if nothing is to change. It is called in the
    ///   transaction, so no other program can change the album in between. If it throws, nothing is changed.
    /// - Returns: whether the album exists.
    package func changeAlbum(_ id: String, _ change: (StoredAlbum) throws -> ObjectRecord?) throws -> Bool {
        try write { db in
            guard let album = try StoredAlbum(id, in: db) else { return false }
            if let record = try change(album) {
                try ObjectWriter(log: ChangeLog(self, db, run: nil)).writeAndSettle(record)
            }
            return true
        }
    }

    /// Removes an album of a served catalogue.
    ///
    /// - Parameter check: called with the album in the transaction. If it throws, nothing is removed.
    /// - Returns: whether the album existed.
    package func removeAlbum(
        _ id: String, evidence: Evidence = .deletedByClient, check: (StoredAlbum) throws -> Void = { _ in }
    ) throws -> Bool {
        try write { db in
            guard let album = try StoredAlbum(id, in: db) else { return false }
            try check(album)
            try ObjectRemover(log: ChangeLog(self, db, run: nil))
                .removeAndSettle(.album, id, evidence: evidence)
            return true
        }
    }

    /// Adds an artwork at the end of an album of a served catalogue, or removes it. Idempotent.
    ///
    /// - Returns: whether album and artwork exist.
    package func setAlbumArtwork(_ artwork: String, in album: String, present: Bool) throws -> Bool {
        try write { db in
            guard try StoredRow.find(.album, album, in: db).map({ !$0.kept }) ?? false,
                let membership = Membership(of: Owner(.album, album))
            else { return false }
            if present {
                guard try StoredRow.find(.artwork, artwork, in: db).map({ !$0.ghost && !$0.kept }) ?? false
                else { return false }
            }
            let before = try membership.ids(in: db)
            guard before.contains(artwork) != present else { return true }
            let members = present ? before + [artwork] : before.filter { $0 != artwork }
            try membership.replace(with: members, in: db)
            // This mirror is the origin of the list, so the new number of members is authoritative.
            try db.run(
                """
                UPDATE list SET members = ? WHERE owner_kind = 'album' AND owner_id = ? AND name = 'artworks'
                """, [members.count, album])
            try ChangeLog(self, db, run: nil)
                .note(.update, .album, album, list: "artworks", before: JSONValue.canonicalText(of: before))
            return true
        }
    }
}

/// The stored version of an album of a served catalogue, before it is changed.
package struct StoredAlbum: Sendable {
    package let json: String
    /// The entity tag with which it is served.
    package let etag: String

    /// Reads an album; `nil` if it isn't stored, or is a ghost or kept.
    init?(_ id: String, in db: Database) throws {
        let row = try db.row(
            """
            SELECT json, served_etag FROM album
            WHERE id = ? AND ghost = 0 AND kept = 0 AND json IS NOT NULL AND served_etag IS NOT NULL
            """, [id])
        guard let row else { return nil }
        json = row[0]
        etag = row[1]
    }
}
