import Catalogue
import GRDB

/// The body and ETag that a server offers for a canonical URL.
package struct ServedBody: Sendable {
    package let body: String
    package let etag: String

    /// From two columns of a row.
    fileprivate init(_ row: Row, from index: Int = 0) {
        (body, etag) = (row[index] ?? "", row[index + 1] ?? "")
    }
}

/// Reads objects as this mirror serves them, all as of one instant.
package struct ServedReader {
    let db: Database
    let kinds: Kinds

    /// An object as it is served; `nil` for what isn't here, ghosts, and what was restored but is not listed (`kept`).
    package func object(_ kind: Kind, _ id: String) throws -> ServedBody? {
        try object(kind, "id = ? AND \(Self.isServed(kind))", [id])
    }

    /// An object that is among those that are served of its kind, or the partner; `nil` for any other. One that is here only because
    /// something refers to it is served by its canonical URL alone.
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

    /// The partner or user of this mirror, of which there is one each.
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

    /// The id and ETag of every object that is among those that are served of its kind, in order of their ids.
    ///
    /// Read as they are stored and sorted then: of a million, stored in another order than that of their ids, the index of ids would
    /// lead to each page of the table many times.
    package func eachListed(_ kind: Kind, _ body: (_ id: String, _ etag: String) throws -> Void) throws {
        let sql = """
            SELECT id, served_etag FROM "\(kind.table)" NOT INDEXED
            WHERE \(Self.isServed(kind)) AND linked = 0 ORDER BY id
            """
        try db.forEach(sql) { try body($0[0], $0[1]) }
    }

    /// The ids of a kind's own list, in order.
    ///
    /// What isn't in the list is told by small indexes, so that not one row is looked up. Albums are few.
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

    /// The artworks of a show, album or location as the server has them, those that aren't stored included.
    package func members(of owner: Owner) throws -> [String] {
        try Membership(of: owner)?.ids(in: db) ?? []
    }

    /// Ids and ETags of the documents of an owner, in order of their ids.
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
    /// Reads several served objects of one instant.
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
