import Catalogue
import GRDB

/// An artwork that was added to an album here, or taken out, without the server having said that it took that.
struct AlbumArtworkEdit {
    enum Wanted: String {
        case add, remove

        init(present: Bool) { self = present ? .add : .remove }
    }

    let artwork: String
    let wanted: Wanted
    /// Why the server refused it, if it did.
    let failure: String?
    /// Whether the server may have got it.
    let isSent: Bool

    /// What is read of `album_artwork`.
    static let columns = "artwork_id, pending, failure, sent"

    /// - Returns: `nil` for a row without an edit.
    init?(_ row: Row) {
        guard let wanted = (row["pending"] as String?).flatMap(Wanted.init) else { return nil }
        artwork = row["artwork_id"]
        self.wanted = wanted
        failure = row["failure"]
        isSent = row["sent"]
    }

    /// In the order of the album.
    static func all(of album: String, in db: Database) throws -> [AlbumArtworkEdit] {
        try db.rows(
            """
            SELECT \(columns) FROM album_artwork WHERE album_id = ? AND pending IS NOT NULL ORDER BY position
            """, [album]
        ).compactMap(AlbumArtworkEdit.init)
    }

    /// Whether nothing is left to be wished for, as the server's list has the artwork or hasn't.
    func isSettled(whereListed isListed: Bool) -> Bool { failure != nil && (wanted == .add) == isListed }
}

/// What became of the artworks that were added to albums here, and taken out.
extension CatalogueStore {
    /// Notes, before it is sent, that an artwork edit is: if it is taken back after that, it may have been made.
    ///
    /// It is on the disk when this returns.
    ///
    /// - Returns: whether it was sent before, without an answer; `nil` if it isn't wanted any more.
    package func willPushArtwork(_ artwork: String, in album: String, present: Bool) throws -> Bool? {
        try writeDurably { db in
            let wasSent: Bool? = try db.row(
                """
                SELECT sent FROM album_artwork
                WHERE album_id = ? AND artwork_id = ? AND pending = ? AND failure IS NULL
                """, [album, artwork, AlbumArtworkEdit.Wanted(present: present).rawValue])?[0]
            if wasSent == false { try setSent(true, artwork, in: album, db) }
            return wasSent
        }
    }

    /// Notes that an artwork edit did not arrive: if it is taken back, there is nothing to undo.
    package func didNotPushArtwork(_ artwork: String, in album: String) throws {
        try write(isServed: false) { db in try setSent(false, artwork, in: album, db) }
    }

    private func setSent(_ isSent: Bool, _ artwork: String, in album: String, _ db: Database) throws {
        try db.run(
            "UPDATE album_artwork SET sent = ? WHERE album_id = ? AND artwork_id = ?",
            [isSent, album, artwork])
    }

    /// The server has, or no longer has, the artwork in the album: the local mark goes, unless the opposite was wanted
    /// during the request; that is pushed next time.
    package func acknowledgeAlbumArtwork(_ artwork: String, in album: String, present: Bool) throws {
        try write { db in
            try ChangeLog(self, db, run: nil).watching(album: album) {
                try acknowledge(artwork, in: album, present: present, db)
            }
            // The album's list, as it is known now, has another number of members, until it is asked for again.
            try db.run(
                """
                UPDATE list SET members = (
                  SELECT count(*) FROM album_artwork WHERE album_id = ?1 AND \(Membership.isListed))
                WHERE owner_kind = 'album' AND owner_id = ?1 AND name = 'artworks' AND complete = 1 AND pending = 0
                """, [album])
        }
    }

    private func acknowledge(_ artwork: String, in album: String, present: Bool, _ db: Database) throws {
        try unsettle(db, artworksOf: album)
        let row = try db.row(
            "SELECT pending FROM album_artwork WHERE album_id = ? AND artwork_id = ?", [album, artwork])
        let pending: String? = row?[0]
        switch (present, row != nil, pending) {
        case (true, true, let pending):
            try mark(artwork, in: album, isListed: true, pending == "add" ? nil : pending, db)
        case (true, false, _):
            guard try StoredRow.find(.album, album, in: db) != nil,
                try StoredRow.find(.artwork, artwork, in: db) != nil
            else { return }
            try db.run(
                """
                INSERT INTO album_artwork (album_id, artwork_id, position, pending)
                SELECT ?1, ?2, coalesce(max(position) + 1, 0), 'remove' FROM album_artwork WHERE album_id = ?1
                """, [album, artwork])
        case (false, true, "remove"): try leave(artwork, album, db)
        case (false, true, _): try mark(artwork, in: album, isListed: false, "add", db)
        case (false, false, _): break
        }
    }

    private func mark(
        _ artwork: String, in album: String, isListed: Bool, _ pending: String?, _ db: Database
    ) throws {
        try db.run(
            """
            UPDATE album_artwork SET listed = ?, pending = ?, failure = NULL, sent = 0
            WHERE album_id = ? AND artwork_id = ?
            """, [isListed, pending, album, artwork])
    }

    func leave(_ artwork: String, _ album: String, _ db: Database) throws {
        try db.run("DELETE FROM album_artwork WHERE album_id = ? AND artwork_id = ?", [album, artwork])
    }

    /// The server refused to add an artwork, or to take it out, for good. Where its list agrees with the edit already, that
    /// settles it. If the opposite was wanted during the request, that is pushed next time.
    package func failAlbumArtwork(_ artwork: String, in album: String, present: Bool, reason: String) throws {
        try write { db in
            let row = try db.row(
                """
                UPDATE album_artwork SET failure = ?, sent = 0
                WHERE album_id = ? AND artwork_id = ? AND pending = ?
                RETURNING listed, \(AlbumArtworkEdit.columns)
                """, [reason, album, artwork, AlbumArtworkEdit.Wanted(present: present).rawValue])
            let isListed: Bool = row?["listed"] ?? false
            guard let edit = row.flatMap(AlbumArtworkEdit.init), edit.isSettled(whereListed: isListed) else {
                return
            }
            switch edit.wanted {
            case .add: try mark(artwork, in: album, isListed: true, nil, db)
            case .remove: try leave(artwork, album, db)
            }
        }
    }
}
