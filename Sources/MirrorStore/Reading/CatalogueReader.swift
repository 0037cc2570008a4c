import Catalogue
import GRDB

/// Reads objects as the server or catalogue said them, and what belongs to them, all as of one instant, however long that takes and
/// whatever is written meanwhile.
package struct CatalogueReader {
    let db: Database
    let kinds: Kinds

    /// Ids of what is stored, ghosts and albums that were deleted here aside, in no particular order.
    ///
    /// - Parameters:
    ///   - withKept: whether those that were restored, and the server doesn't list, are among them.
    ///   - withLinked: whether those are that something refers to, though their kind's own list doesn't name them.
    package func ids(_ kind: Kind, withKept: Bool = true, withLinked: Bool = true) throws -> [String] {
        let listed =
            (withKept ? "" : " AND kept = 0") + (withLinked || !kind.isListed ? "" : " AND linked = 0")
        return try db.texts("SELECT id FROM \"\(kind.table)\" WHERE \(kind.isStored)\(listed)")
    }

    /// Whether the last sync or import that came to a result left something out.
    package func isIncomplete() throws -> Bool { try CatalogueStore.isIncomplete(in: db) }

    /// An object's JSON.
    package func json(_ kind: Kind, _ id: String) throws -> String? {
        try db.text("SELECT json FROM \"\(kind.table)\" WHERE id = ?", [id])
    }

    /// The ids of an owner's artworks, those that aren't stored included: in the owner's order, of an album as it was edited here; of
    /// an artist in the order of their ids.
    package func artworks(of owner: Owner) throws -> [String] {
        try Relation(.artwork, of: owner.kind).map { try db.texts($0.ids(of: "?"), [owner.id]) } ?? []
    }

    /// Where an artwork is, by the locations' lists.
    package func location(ofArtwork id: String) throws -> String? {
        try db.text(
            "SELECT location_id FROM location_artwork WHERE artwork_id = ? ORDER BY location_id LIMIT 1", [id]
        )
    }

    package func images(ofShow show: String, role: ImageRole) throws -> [String] {
        try db.texts(
            "SELECT json FROM image WHERE show_id = ? AND role = ? ORDER BY position", [show, role.rawValue])
    }

    /// Every document: its owner, its JSON, its file if that is stored.
    package func documents() throws -> [(owner: Owner, json: String, file: StoredFile?)] {
        try db.rows(
            """
            SELECT d.show_id, d.artist_id, d.json, h.hash, h.size, h.path, h.type
            FROM document d LEFT JOIN file h ON h.hash = d.file ORDER BY d.id, d.pk
            """
        ).map { (Owner(ofDocument: $0), $0[2], StoredFile(row: $0, from: 3)) }
    }

    /// A join table's rows, in order.
    package func joins(
        _ table: JoinTable, _ body: (_ owner: String, _ member: String, _ position: Int) throws -> Void
    ) throws {
        let sql = """
            SELECT \(table.owner)_id, \(table.member)_id, position FROM \(table.rawValue)
            ORDER BY \(table.owner)_id, position
            """
        try db.forEach(sql) { try body($0[0], $0[1], $0[2]) }
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
        try read { try body(CatalogueReader(db: $0, kinds: kinds)) }
    }

    /// Owners of a kind that have documents here.
    package func documentOwners(_ kind: Kind) throws -> [String] {
        let owner = kind.idColumn
        return try read {
            try $0.texts("SELECT DISTINCT \(owner) FROM document WHERE \(owner) IS NOT NULL")
        }
    }
}

extension Owner {
    /// From the columns `show_id` and `artist_id` of a document, one of which has a value.
    init(ofDocument row: Row) {
        let show: String? = row[0], artist: String? = row[1]
        self.init(show == nil ? .artist : .show, show ?? artist ?? "")
    }
}

extension Kind {
    /// SQL: whether a row is an object that is stored: neither a ghost nor deleted here.
    var isStored: String { "ghost = 0 AND json IS NOT NULL\(isEdited ? " AND deleted = 0" : "")" }

    /// SQL: whether a server knows the object of a row, to be added to other conditions.
    var isAcknowledged: String { isEdited ? " AND acknowledged = 1" : "" }

    /// SQL: by names, as a person reads a list.
    var orderOfNames: String { "\(titleColumn) IS NULL, \(titleColumn) COLLATE NOCASE, id" }
}
