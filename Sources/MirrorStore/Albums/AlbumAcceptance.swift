import Catalogue
import GRDB

extension CatalogueStore {
    /// Stores an album that a client made on a catalogue that is served: this is its authority.
    ///
    /// - Parameter key: the client's `Idempotency-Key`; a second request with it within 24 hours makes nothing new.
    /// - Returns: the id of the album that now exists: the record's, or that of the first request with the key.
    package func acceptAlbum(_ record: ObjectRecord, key: String? = nil) throws -> String {
        let time = now().timeIntervalSince1970
        return try write { db in
            // What lies more than a day ahead was noted by a clock that was wrong.
            try db.run("DELETE FROM served_request WHERE abs(made_at - ?) > 86400", [time])
            if let key {
                let earlier = "SELECT object_id FROM served_request WHERE key = ?"
                if let id = try db.text(earlier, [key]) { return id }
                try db.run(
                    "INSERT INTO served_request (key, object_id, made_at) VALUES (?, ?, ?)",
                    [key, record.id, time])
            }
            try ObjectWriter(log: ChangeLog(self, db, run: nil)).writeAlone(record)
            return record.id
        }
    }

    /// Changes an album of a served catalogue.
    ///
    /// - Parameter change: makes the new record of what is stored; `nil` if there is nothing to change. It is called within
    ///   the transaction, so that what another program stores is either seen by it or comes after it. What it throws
    ///   leaves all as it is.
    /// - Returns: whether the album is there.
    package func changeAlbum(_ id: String, _ change: (StoredAlbum) throws -> ObjectRecord?) throws -> Bool {
        try write { db in
            guard let album = try StoredAlbum(id, in: db) else { return false }
            if let record = try change(album) {
                try ObjectWriter(log: ChangeLog(self, db, run: nil)).writeAlone(record)
            }
            return true
        }
    }

    /// Removes an album of a served catalogue.
    ///
    /// - Parameter check: sees what is removed, within the transaction; what it throws leaves all as it is.
    /// - Returns: whether it was there.
    package func removeAlbum(
        _ id: String, evidence: String = "deleted by a client", check: (StoredAlbum) throws -> Void = { _ in }
    ) throws -> Bool {
        try write { db in
            guard let album = try StoredAlbum(id, in: db) else { return false }
            try check(album)
            try ObjectRemover(log: ChangeLog(self, db, run: nil))
                .removeAlone(.album, id, evidence: evidence)
            return true
        }
    }

    /// Adds an artwork to an album of a served catalogue, at its end, or takes it out. Idempotent.
    ///
    /// - Returns: whether album and artwork are there.
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
            // This is the list's authority: it has as many from now on.
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

/// An album of a served catalogue as it is when somebody is about to change it.
package struct StoredAlbum: Sendable {
    package let json: String
    /// The entity tag with which it is served.
    package let etag: String

    /// `nil` if it isn't there, or is kept only for what refers to it.
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
