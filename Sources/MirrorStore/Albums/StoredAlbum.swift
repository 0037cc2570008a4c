import GRDB

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
