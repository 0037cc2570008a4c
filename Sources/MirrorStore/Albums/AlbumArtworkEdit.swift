import GRDB

/// An artwork that was added to an album here, or taken out, without the server having said that it took that.
struct AlbumArtworkEdit {
    enum Wanted: String { case add, remove }

    let artwork: String
    let wanted: Wanted
    /// Why the server refused it, if it did.
    let failure: String?

    /// In the order of the album.
    static func all(of album: String, in db: Database) throws -> [AlbumArtworkEdit] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT artwork_id, pending, failure FROM album_artwork
                    WHERE album_id = ? AND pending IS NOT NULL ORDER BY position
                    """), arguments: [album]
        ).compactMap { row in
            Wanted(rawValue: row[1]).map { AlbumArtworkEdit(artwork: row[0], wanted: $0, failure: row[2]) }
        }
    }

    /// Whether nothing is left to be wished for, as the server's list has the artwork or hasn't.
    func isSettled(whereListed isListed: Bool) -> Bool {
        failure != nil && (wanted == .add) == isListed
    }
}
