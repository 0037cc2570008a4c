import Catalogue
import GRDB

/// Reads objects as the server sent them, with their parts and lists, inside one read transaction.
///
/// All results are of the same instant. Changes that are written in the meantime aren't visible.
package struct CatalogueReader {
    let db: Database
    let kinds: Kinds

    /// The ids of the stored objects of a kind, in no particular order. Ghosts and locally deleted albums are left out.
    ///
    /// - Parameters:
    ///   - withKept: whether to include kept objects: restored ones that the server doesn't list.
    ///   - withLinked: whether to include linked objects, to which others refer, but which their kind's list doesn't name.
    package func ids(_ kind: Kind, withKept: Bool = true, withLinked: Bool = true) throws -> [String] {
        let listed =
            (withKept ? "" : " AND kept = 0") + (withLinked || !kind.isListed ? "" : " AND linked = 0")
        return try db.texts("SELECT id FROM \"\(kind.table)\" WHERE \(kind.isStored)\(listed)")
    }

    /// Whether the last sync or import that ended with a result was incomplete.
    package func isIncomplete() throws -> Bool { try CatalogueStore.isIncomplete(in: db) }

    /// The canonical JSON of an object; `nil` if it isn't stored or is a ghost.
    package func json(_ kind: Kind, _ id: String) throws -> String? {
        try db.text("SELECT json FROM \"\(kind.table)\" WHERE id = ?", [id])
    }

    /// The ids of an owner's artworks, including artworks that aren't stored.
    ///
    /// They are in the owner's order, with an album's local edits applied; those of an artist are ordered by id.
    package func artworks(of owner: Owner) throws -> [String] {
        try Relation(.artwork, of: owner.kind).map { try db.texts($0.ids(of: "?"), [owner.id]) } ?? []
    }

    /// The id of the location whose list contains an artwork; `nil` if none does. The first by id, if there are several.
    package func location(ofArtwork id: String) throws -> String? {
        try db.text(
            "SELECT location_id FROM location_artwork WHERE artwork_id = ? ORDER BY location_id LIMIT 1", [id]
        )
    }

    package func images(ofShow show: String, role: ImageRole) throws -> [String] {
        try db.texts(
            "SELECT json FROM image WHERE show_id = ? AND role = ? ORDER BY position", [show, role.rawValue])
    }

    /// All documents, each with its owner, its JSON and, if it is stored, its file.
    package func documents() throws -> [(owner: Owner, json: String, file: StoredFile?)] {
        try db.rows(
            """
            SELECT d.show_id, d.artist_id, d.json, h.hash, h.size, h.path, h.type
            FROM document d LEFT JOIN file h ON h.hash = d.file ORDER BY d.id, d.pk
            """
        ).map { (Owner(ofDocument: $0), $0[2], StoredFile(row: $0, from: 3)) }
    }

    /// Reads the rows of a join table one by one, ordered by owner and position.
    package func joins(
        _ table: JoinTable, _ body: (_ owner: String, _ member: String, _ position: Int) throws -> Void
    ) throws {
        let sql = """
            SELECT \(table.owner)_id, \(table.member)_id, position FROM \(table.rawValue)
            ORDER BY \(table.owner)_id, position
            """
        try db.forEach(sql) { try body($0[0], $0[1], $0[2]) }
    }

    /// The tables that join objects of two kinds, such as artworks and artists.
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
    /// Runs several reads in one transaction, so that all see the mirror at the same instant.
    package func snapshot<T>(_ body: (CatalogueReader) throws -> T) throws -> T {
        try read { try body(CatalogueReader(db: $0, kinds: kinds)) }
    }

    /// The ids of the owners of a kind that have stored documents.
    package func documentOwners(_ kind: Kind) throws -> [String] {
        let owner = kind.idColumn
        return try read {
            try $0.texts("SELECT DISTINCT \(owner) FROM document WHERE \(owner) IS NOT NULL")
        }
    }
}

extension Owner {
    /// Reads the owner of a document from the columns `show_id` and `artist_id`, one of which has a value.
    init(ofDocument row: Row) {
        let show: String? = row[0], artist: String? = row[1]
        self.init(show == nil ? .artist : .show, show ?? artist ?? "")
    }
}

extension Kind {
    /// SQL: whether a row is a stored object: neither a ghost nor locally deleted.
    var isStored: String { "ghost = 0 AND json IS NOT NULL\(isEdited ? " AND deleted = 0" : "")" }

    /// SQL: an additional condition that the server has acknowledged the row's object. Empty for kinds without local edits.
    var isAcknowledged: String { isEdited ? " AND acknowledged = 1" : "" }

    /// SQL: the terms of an `ORDER BY` by name, ignoring case. Objects without a name are last.
    var orderOfNames: String { "\(titleColumn) IS NULL, \(titleColumn) COLLATE NOCASE, id" }
}
