import Catalogue
import GRDB

/// Reads what is served of several objects as it was at one instant.
package struct ServedReader {
    let db: Database

    /// An object that is among those that are served of its kind, or the partner; `nil` for any other.
    package func listed(_ kind: Kind, _ id: String) throws -> ServedBody? {
        try Row.fetchOne(db.cachedStatement(sql: Self.listedObject[kind] ?? ""), arguments: [id])
            .map(ServedBody.init)
    }

    private static let listedObject = Dictionary(
        uniqueKeysWithValues: (Kinds.standard.listed + [.partner]).map { kind in
            let object = CatalogueStore.servedObject[kind] ?? ""
            return (kind, kind == .partner ? object : "\(object) AND \(CatalogueStore.isListed)")
        })

    /// The partner or user of this mirror, of which there is one each.
    package func single(_ kind: Kind) throws -> (id: String, etag: String)? {
        try Row.fetchOne(
            db.cachedStatement(
                sql:
                    "SELECT id, served_etag FROM \"\(kind.table)\" WHERE json IS NOT NULL ORDER BY id LIMIT 1"
            )
        ).map { ($0[0], $0[1] ?? "") }
    }

    /// The partner's or user's body.
    package func body(of kind: Kind) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT coalesce(served, json) FROM "\(kind.table)" WHERE json IS NOT NULL ORDER BY id LIMIT 1
                    """))
    }

    package func document(of owner: Owner, _ id: String) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: CatalogueStore.servedDocument(of: owner.kind)), arguments: [owner.id, id])
    }

    /// The id and ETag of every object that is among those that are served of its kind.
    package func eachListed(_ kind: Kind, _ body: (_ id: String, _ etag: String) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT id, served_etag FROM "\(kind.table)"
                    WHERE \(CatalogueStore.isInList(kind)) AND served_etag IS NOT NULL
                    """))
        while let row = try rows.next() { try body(row[0], row[1]) }
    }

    /// The ids of a kind's own list, in order.
    package func eachListedID(_ kind: Kind, _ body: (String) throws -> Void) throws {
        let ids = try String.fetchCursor(db.cachedStatement(sql: Self.listedIDs(kind)))
        while let id = try ids.next() { try body(id) }
    }

    /// What isn't in the list is told by small indexes, so that not one row is looked up: of a million, stored in another
    /// order than that of their ids, that would read each page of the table many times. Albums are few.
    private static func listedIDs(_ kind: Kind) -> String {
        let table = "\"\(kind.table)\""
        guard kind != .album else {
            return "SELECT id FROM \(table) WHERE \(CatalogueStore.isInList(kind)) ORDER BY id"
        }
        let others = ["ghost", "kept", "linked"].map { "id NOT IN (SELECT id FROM \(table) WHERE \($0) = 1)" }
        return "SELECT id FROM \(table) WHERE \(others.joined(separator: " AND ")) ORDER BY id"
    }

    /// The artworks of a show, album or location, those that aren't stored included.
    package func members(of owner: Owner) throws -> [String] {
        try Membership(of: owner)?.ids(in: db) ?? []
    }

    package func documents(of owner: Owner) throws -> [(id: String, etag: String)] {
        let statement = try db.cachedStatement(sql: CatalogueStore.servedDocuments(of: owner.kind))
        return try Row.fetchAll(statement, arguments: [owner.id]).map { ($0[0], $0[1] ?? "") }
    }

    package func images(ofShow show: String, role: ImageRole) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(sql: CatalogueStore.servedImages), arguments: [show, role.rawValue])
    }
}

extension CatalogueStore {
    /// Reads several served objects of one instant.
    package func served<T>(_ body: (ServedReader) throws -> T) throws -> T {
        try read { try body(ServedReader(db: $0)) }
    }
}
