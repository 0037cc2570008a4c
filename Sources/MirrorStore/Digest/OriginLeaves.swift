import GRDB

/// What this mirror holds of its origin: the ETags that objects, documents and lists were made from.
///
/// What is to be asked for again is in it as what it is: if the server still gives that ETag, it is what the server has. What
/// was restored, is only referred to, or that no server knows yet is not in it, nor is what is under that.
package struct OriginLeaves: DigestSource {
    private let names: DigestNames

    package init(_ names: DigestNames) { self.names = names }

    package var side: DigestSide { .origin }

    package func url(of owner: Owner) -> String? { names.object(owner) }

    package func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves {
        guard let own = names.object(owner) else { return OwnedLeaves() }
        let object = try FastStatement(reader.db, Self.object[owner.kind] ?? "").binding(owner.id)
        guard try object.next(), object.integer(1) != 0 else { return OwnedLeaves() }
        var leaves = OwnedLeaves(own: object.text(0).map { DigestLeaf(url: own, etag: $0) })
        guard leaves.own != nil else { return leaves }
        let lists = try FastStatement(reader.db, Self.lists).binding(owner.kind.rawValue).binding(owner.id)
        while try lists.next() {
            guard let name = lists.text(0), let etag = lists.text(1), let url = names.list(owner, name) else {
                continue
            }
            leaves.under.append(DigestLeaf(url: url, etag: etag))
        }
        guard let sql = Self.documents[owner.kind] else { return leaves }
        let documents = try FastStatement(reader.db, sql).binding(owner.id)
        while try documents.next() {
            guard let id = documents.text(0), let etag = documents.text(1),
                let url = names.document(owner, id)
            else { continue }
            leaves.under.append(DigestLeaf(url: url, etag: etag))
        }
        return leaves
    }

    package func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws {
        for kind in ObjectKind.allCases where kind != .document {
            let hasParts = kind == .show || kind == .artist || kind == .album || kind == .location
            let row = try FastStatement(reader.db, Self.all[kind] ?? "")
            while try row.next() {
                guard let id = row.text(0), let etag = row.text(1) else { continue }
                let owner = Owner(kind, id)
                if hasParts {
                    try body(owner, try leaves(of: owner, in: reader))
                } else if let url = names.object(owner) {
                    try body(owner, OwnedLeaves(own: DigestLeaf(url: url, etag: etag)))
                }
            }
        }
    }

    // MARK: - Statements

    /// What an object's row has to be for it to be in the digest at all.
    private static func isHeld(_ kind: ObjectKind) -> String {
        let listed = ObjectKind.listed.contains(kind) ? " AND linked = 0" : ""
        return
            "ghost = 0 AND kept = 0\(listed)\(kind == .album ? " AND acknowledged = 1" : "")"
    }

    private static let object = statements { kind in
        "SELECT etag, \(isHeld(kind)) FROM \"\(kind.table)\" WHERE id = ?"
    }

    private static let all = statements { kind in
        "SELECT id, etag FROM \"\(kind.table)\" WHERE etag IS NOT NULL AND \(isHeld(kind))"
    }

    private static func statements(_ make: (ObjectKind) -> String) -> [ObjectKind: String] {
        Dictionary(
            uniqueKeysWithValues: ObjectKind.allCases.filter { $0 != .document }.map { ($0, make($0)) })
    }

    private static let lists = """
        SELECT name, etag FROM list
        WHERE owner_kind = ? AND owner_id = ? AND complete = 1 AND pending = 0 AND etag IS NOT NULL
        """

    private static let documents: [ObjectKind: String] = Dictionary(
        uniqueKeysWithValues: [ObjectKind.show, .artist].map { kind in
            (
                kind,
                """
                SELECT id, etag FROM document
                WHERE \(kind.rawValue)_id = ? AND ghost = 0 AND kept = 0 AND etag IS NOT NULL
                """
            )
        })
}
