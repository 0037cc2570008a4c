import GRDB

/// Reads what is served of several objects as it was at one instant.
package struct ServedReader {
    let db: Database

    /// An object that is among those that are served of its kind, or the partner; `nil` for any other.
    package func listed(_ kind: ObjectKind, _ id: String) throws -> ServedBody? {
        var row = try FastStatement(db, Self.listedObject[kind] ?? "")
        row.bind(id)
        return try row.next() ? ServedBody(row) : nil
    }

    private static let listedObject = Dictionary(
        uniqueKeysWithValues: (ObjectKind.listed + [.partner]).map { kind in
            let object = CatalogueStore.servedObject[kind] ?? ""
            return (kind, kind == .partner ? object : "\(object) AND \(CatalogueStore.isListed)")
        })

    /// The partner or user of this mirror, of which there is one each.
    package func single(_ kind: ObjectKind) throws -> (id: String, etag: String)? {
        let row = try FastStatement(
            db,
            "SELECT id, served_etag FROM \"\(kind.table)\" WHERE json IS NOT NULL ORDER BY id LIMIT 1")
        return try row.next() ? (row.text(0) ?? "", row.text(1) ?? "") : nil
    }

    /// The partner's or user's body.
    package func body(of kind: ObjectKind) throws -> String? {
        let row = try FastStatement(
            db,
            "SELECT coalesce(served, json) FROM \"\(kind.table)\" WHERE json IS NOT NULL ORDER BY id LIMIT 1")
        return try row.next() ? row.text(0) : nil
    }

    package func document(of owner: Owner, _ id: String) throws -> String? {
        let row = try FastStatement(db, CatalogueStore.servedDocument(of: owner.kind)).binding(owner.id)
            .binding(id)
        return try row.next() ? row.text(0) : nil
    }

    /// Bytes of about so many bodies, and how many they are: for what the whole may come to.
    package func sampleOfBodies(_ kind: ObjectKind, limit: Int) throws -> (bytes: Int, count: Int) {
        let row = try FastStatement(
            db, "SELECT coalesce(served, json) FROM \"\(kind.table)\" WHERE json IS NOT NULL LIMIT ?"
        ).binding(Int64(limit))
        var sample = (bytes: 0, count: 0)
        while try row.next() {
            sample.bytes += row.text(0)?.utf8.count ?? 0
            sample.count += 1
        }
        return sample
    }

    /// The id and ETag of every object that is among those that are served of its kind.
    package func eachListed(_ kind: ObjectKind, _ body: (_ id: String, _ etag: String) throws -> Void) throws
    {
        let row = try FastStatement(
            db,
            """
            SELECT id, served_etag FROM "\(kind.table)"
            WHERE \(CatalogueStore.isInList(kind)) AND served_etag IS NOT NULL
            """)
        while try row.next() { try body(row.text(0) ?? "", row.text(1) ?? "") }
    }

    /// The ids of a kind's own list, in order.
    package func eachListedID(_ kind: ObjectKind, _ body: (String) throws -> Void) throws {
        let row = try FastStatement(db, Self.listedIDs(kind))
        while try row.next() { try body(row.text(0) ?? "") }
    }

    /// What isn't in the list is told by small indexes, so that not one row is looked up: of a million, stored in another
    /// order than that of their ids, that would read each page of the table many times. Albums are few.
    private static func listedIDs(_ kind: ObjectKind) -> String {
        let table = "\"\(kind.table)\""
        guard kind != .album else {
            return "SELECT id FROM \(table) WHERE \(CatalogueStore.isInList(kind)) ORDER BY id"
        }
        let others = ["ghost", "kept", "linked"].map { "id NOT IN (SELECT id FROM \(table) WHERE \($0) = 1)" }
        return "SELECT id FROM \(table) WHERE \(others.joined(separator: " AND ")) ORDER BY id"
    }

    /// The artworks of a show, album or location, those that aren't stored included.
    package func members(of owner: Owner) throws -> [String] {
        try Membership(ListName(url: "", owner: owner, name: "artworks"))?.ids(in: db) ?? []
    }

    package func documents(of owner: Owner) throws -> [(id: String, etag: String)] {
        var row = try FastStatement(db, CatalogueStore.servedDocuments(of: owner.kind))
        row.bind(owner.id)
        var found: [(id: String, etag: String)] = []
        while try row.next() { found.append((row.text(0) ?? "", row.text(1) ?? "")) }
        return found
    }

    package func images(ofShow show: String, role: ImageRole) throws -> [String] {
        var row = try FastStatement(db, CatalogueStore.servedImages)
        row.bind(show)
        row.bind(role.rawValue)
        var found: [String] = []
        while try row.next() { found.append(row.text(0) ?? "") }
        return found
    }
}

extension CatalogueStore {
    /// Reads several served objects of one instant.
    package func served<T>(_ body: (ServedReader) throws -> T) throws -> T {
        try read { try body(ServedReader(db: $0)) }
    }
}
