import Catalogue
import GRDB

/// A local edit that adds an artwork to an album or removes it, and that the server has not acknowledged.
struct AlbumArtworkEdit {
    enum Wanted: String {
        case add, remove

        init(present: Bool) { self = present ? .add : .remove }
    }

    let artwork: String
    let wanted: Wanted
    /// Why the server refused the edit; `nil` if it didn't.
    let failure: String?
    /// Whether the edit was sent, so that the server may have applied it.
    let isSent: Bool

    /// The columns of `album_artwork` that ``init(_:)`` reads.
    static let columns = "artwork_id, pending, failure, sent"

    /// Reads an edit; `nil` for a row without one.
    init?(_ row: Row) {
        guard let wanted = (row["pending"] as String?).flatMap(Wanted.init) else { return nil }
        artwork = row["artwork_id"]
        self.wanted = wanted
        failure = row["failure"]
        isSent = row["sent"]
    }

    /// All edits of an album's artworks, in the album's order.
    static func all(of album: String, in db: Database) throws -> [AlbumArtworkEdit] {
        try db.rows(
            """
            SELECT \(columns) FROM album_artwork WHERE album_id = ? AND pending IS NOT NULL ORDER BY position
            """, [album]
        ).compactMap(AlbumArtworkEdit.init)
    }

    /// Whether a refused edit needs nothing more, because the server's list already agrees with it.
    func isSettled(whereListed isListed: Bool) -> Bool { failure != nil && (wanted == .add) == isListed }
}

/// Stores the results of pushing edits of albums' artworks.
extension CatalogueStore {
    /// Records that an edit of an album's artworks is about to be sent. If it is undone later, the server may have applied it.
    ///
    /// The record is synced to the disk when this returns.
    ///
    /// - Returns: whether the edit was sent before, without an answer; `nil` if there is no such edit any more.
    package func recordArtworkPush(_ artwork: String, in album: String, present: Bool) throws -> Bool? {
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

    /// Records that an edit didn't reach the server. If it is undone later, nothing needs to be pushed.
    package func recordUnsentArtwork(_ artwork: String, in album: String) throws {
        try write(isServed: false) { db in try setSent(false, artwork, in: album, db) }
    }

    private func setSent(_ isSent: Bool, _ artwork: String, in album: String, _ db: Database) throws {
        try db.run(
            "UPDATE album_artwork SET sent = ? WHERE album_id = ? AND artwork_id = ?",
            [isSent, album, artwork])
    }

    /// Applies the server's confirmation that an artwork is, or is no longer, in an album.
    ///
    /// The local edit is removed, unless it was reversed during the request. Then the next sync pushes the opposite edit.
    package func acknowledgeAlbumArtwork(_ artwork: String, in album: String, present: Bool) throws {
        try write { db in
            try ChangeLog(self, db, run: nil).watching(album: album) {
                try acknowledge(artwork, in: album, present: present, db)
            }
            // Until the album's list is requested again, its number of members follows from the confirmed edits.
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
        case (false, true, "remove"): try removeRow(artwork, album, db)
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

    func removeRow(_ artwork: String, _ album: String, _ db: Database) throws {
        try db.run("DELETE FROM album_artwork WHERE album_id = ? AND artwork_id = ?", [album, artwork])
    }

    /// Marks the edit of an album's artwork as refused by the server, with the reason.
    ///
    /// If the server's list already agrees with the edit, the edit is removed instead. If it was reversed during the request,
    /// nothing is marked, and the next sync pushes the opposite edit.
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
            case .remove: try removeRow(artwork, album, db)
            }
        }
    }
}
