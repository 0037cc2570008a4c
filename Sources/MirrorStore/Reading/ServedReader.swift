import Catalogue
import GRDB

/// The body and ETag with which `mirror serve` answers a request for a canonical URL.
package struct ServedBody: Sendable {
    package let body: String
    package let etag: String

    /// Reads two columns of a row, starting at `index`.
    fileprivate init(_ row: Row, from index: Int = 0) {
        (body, etag) = (row[index] ?? "", row[index + 1] ?? "")
    }
}

/// Reads objects in the form in which this mirror serves them, inside one read transaction.
package struct ServedReader {
    let db: Database
    let kinds: Kinds

    /// The served form of an object; `nil` for objects that aren't stored, ghosts and kept objects.
    package func object(_ kind: Kind, _ id: String) throws -> ServedBody? {
        try object(kind, "id = ? AND \(Self.isServed(kind))", [id])
    }

    /// The served form of an object that is in the served list of its kind, or of the partner; `nil` for any other.
    ///
    /// Linked objects aren't listed: they are served only by their canonical URL.
    package func listed(_ kind: Kind, _ id: String) throws -> ServedBody? {
        try object(kind, "id = ? AND \(Self.isServed(kind))\(kind.isListed ? " AND linked = 0" : "")", [id])
    }

    private func object(_ kind: Kind, _ condition: String, _ arguments: StatementArguments) throws
        -> ServedBody?
    {
        try db.row(
            "SELECT coalesce(served, json), served_etag FROM \"\(kind.table)\" WHERE \(condition)", arguments
        ).map { ServedBody($0) }
    }

    private static func isServed(_ kind: Kind) -> String {
        "ghost = 0 AND kept = 0 AND json IS NOT NULL AND served_etag IS NOT NULL\(kind.isAcknowledged)"
    }

    /// The partner or user of this mirror, which has one of each.
    package func single(_ kind: Kind) throws -> (id: String, body: ServedBody)? {
        try db.row(
            """
            SELECT id, coalesce(served, json), served_etag FROM "\(kind.table)"
            WHERE json IS NOT NULL ORDER BY id LIMIT 1
            """
        ).map { ($0[0], ServedBody($0, from: 1)) }
    }

    package func document(of owner: Owner, _ id: String) throws -> ServedBody? {
        try object(.document, "\(owner.kind.idColumn) = ? AND id = ? AND kept = 0", [owner.id, id])
    }

    // MARK: - Lists

    /// Reads the id and ETag of every object in the served list of a kind, ordered by id.
    ///
    /// The table is scanned and then sorted. With the index of ids, a large table in another order would be read page by page
    /// many times over.
    package func eachListed(_ kind: Kind, _ body: (_ id: String, _ etag: String) throws -> Void) throws {
        let sql = """
            SELECT id, served_etag FROM "\(kind.table)" NOT INDEXED
            WHERE \(Self.isServed(kind)) AND linked = 0 ORDER BY id
            """
        try db.forEach(sql) { try body($0[0], $0[1]) }
    }

    /// Reads the ids of a kind's served list, in order.
    ///
    /// Objects that aren't in the list are excluded by small indexes, so no row of the table is read. Only rows of albums are
    /// read, of which there are few.
    package func eachListedID(_ kind: Kind, _ body: (String) throws -> Void) throws {
        let table = "\"\(kind.table)\""
        let others = ["ghost", "kept", "linked"].map { "id NOT IN (SELECT id FROM \(table) WHERE \($0) = 1)" }
        let condition =
            kind.isEdited
            ? "ghost = 0 AND kept = 0 AND linked = 0 AND json IS NOT NULL\(kind.isAcknowledged)"
            : others.joined(separator: " AND ")
        try db.forEach("SELECT id FROM \(table) WHERE \(condition) ORDER BY id") {
            try body($0[0])
        }
    }

    /// The ids of the artworks of a show, album or location as the server has them, including artworks that aren't stored.
    package func members(of owner: Owner) throws -> [String] {
        try Membership(of: owner)?.ids(in: db) ?? []
    }

    /// The ids and ETags of an owner's documents, ordered by id.
    package func documents(of owner: Owner) throws -> [(id: String, etag: String)] {
        let sql = """
            SELECT id, served_etag FROM document WHERE \(owner.kind.idColumn) = ? AND kept = 0 ORDER BY id
            """
        return try db.rows(sql, [owner.id]).map { ($0[0], $0[1] ?? "") }
    }

    /// The pictures of a show in one role, as JSON objects, in order.
    package func images(ofShow show: String, role: ImageRole) throws -> [String] {
        try db.texts(
            "SELECT coalesce(served, json) FROM image WHERE show_id = ? AND role = ? ORDER BY position",
            [show, role.rawValue])
    }
}

extension CatalogueStore {
    /// Runs several reads in one transaction, so that all see the mirror at the same instant.
    package func served<T>(_ body: (ServedReader) throws -> T) throws -> T {
        try read { try body(ServedReader(db: $0, kinds: kinds)) }
    }

    package func served(_ kind: Kind, _ id: String) throws -> ServedBody? {
        try served { try $0.object(kind, id) }
    }

    package func servedDocument(_ owner: Owner, _ id: String) throws -> ServedBody? {
        try served { try $0.document(of: owner, id) }
    }

    package func servedSingle(_ kind: Kind) throws -> (id: String, body: ServedBody)? {
        try served { try $0.single(kind) }
    }

    package func members(of owner: Owner) throws -> [String] { try served { try $0.members(of: owner) } }
}
