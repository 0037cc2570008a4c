import Catalogue
import GRDB

/// Reads a whole mirror as it was at one instant, however long that takes and whatever is written meanwhile.
package struct CatalogueReader {
    let db: Database

    /// Ids of what is stored, ghosts and albums that were deleted here aside, in no particular order.
    ///
    /// - Parameter withKept: whether those that were restored, and the server doesn't list, are among them.
    /// - Parameter withLinked: whether those are that something refers to, though their kind's own list doesn't name them.
    package func ids(_ kind: Kind, withKept: Bool = true, withLinked: Bool = true) throws -> [String] {
        let listed = (withKept ? "" : "AND kept = 0") + (kind == .album ? " AND deleted = 0" : "")
        let own = withLinked || !Kinds.standard.listed.contains(kind) ? "" : "AND linked = 0"
        return try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT id FROM \"\(kind.table)\" WHERE ghost = 0 AND json IS NOT NULL \(listed) \(own)")
        )
    }

    /// Whether the last sync or import that came to a result left something out.
    package func isIncomplete() throws -> Bool { try CatalogueStore.isIncomplete(in: db) }

    /// An object as the server or catalogue said it.
    package func json(_ kind: Kind, _ id: String) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT json FROM \"\(kind.table)\" WHERE id = ?"), arguments: [id])
    }

    package func artworks(of owner: Owner) throws -> [String] {
        try Membership(of: owner)?.localIDs(in: db) ?? []
    }

    /// Where an artwork is, by the locations' lists.
    package func location(ofArtwork id: String) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(
                sql:
                    "SELECT location_id FROM location_artwork WHERE artwork_id = ? ORDER BY location_id LIMIT 1"
            ),
            arguments: [id])
    }

    package func images(ofShow show: String, role: ImageRole) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT json FROM image WHERE show_id = ? AND role = ? ORDER BY position"),
            arguments: [show, role.rawValue])
    }

    /// Every document: its owner, its JSON, its file if that is here.
    package func documents() throws -> [(owner: Owner, json: String, file: StoredFile?)] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT d.show_id, d.artist_id, d.json, h.hash, h.size, h.path, h.type
                    FROM document d LEFT JOIN file h ON h.hash = d.file ORDER BY d.id, d.pk
                    """)
        ).map { row in
            let show: String? = row[0], artist: String? = row[1]
            return (
                Owner(show == nil ? .artist : .show, show ?? artist ?? ""), row[2],
                StoredFile(row: row, from: 3)
            )
        }
    }

    /// A join table's rows, in order.
    package func joins(
        _ table: JoinTable, _ body: (_ owner: String, _ member: String, _ position: Int) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT \(table.owner)_id, \(table.member)_id, position FROM \(table.rawValue)
                ORDER BY \(table.owner)_id, position
                """)
        while let row = try rows.next() { try body(row[0], row[1], row[2]) }
    }

    package enum JoinTable: String, CaseIterable {
        case artworkArtist = "artwork_artist"
        case showArtwork = "show_artwork"
        case showArtist = "show_artist"
        case albumArtwork = "album_artwork"
        case locationArtwork = "location_artwork"

        package var owner: String { String(rawValue.prefix { $0 != "_" }) }
        package var member: String { String(rawValue.drop { $0 != "_" }.dropFirst()) }
    }
}

extension CatalogueStore {
    /// Reads many things of one instant.
    package func snapshot<T>(_ body: (CatalogueReader) throws -> T) throws -> T {
        try read { try body(CatalogueReader(db: $0)) }
    }

    /// Owners of a kind that have documents here.
    package func documentOwners(_ kind: Kind) throws -> [String] {
        try read {
            try String.fetchAll(
                $0.cachedStatement(
                    sql:
                        "SELECT DISTINCT \(kind.name)_id FROM document WHERE \(kind.name)_id IS NOT NULL"
                ))
        }
    }
}
