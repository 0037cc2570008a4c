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
    func isSettled(whereListed isListed: Bool) -> Bool {
        failure != nil && (wanted == .add) == isListed
    }
}
