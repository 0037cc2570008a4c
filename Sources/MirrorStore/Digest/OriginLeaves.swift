import Catalogue
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
        let db = reader.db
        let object = try Row.fetchOne(
            db.cachedStatement(sql: Self.object[owner.kind] ?? ""), arguments: [owner.id])
        guard let object, object[1], let etag: String = object[0] else { return OwnedLeaves() }
        var leaves = OwnedLeaves(own: DigestLeaf(url: own, etag: etag))
        let lists = try Row.fetchCursor(
            db.cachedStatement(sql: Self.lists), arguments: [owner.kind.name, owner.id])
        while let list = try lists.next() {
            guard let url = names.list(owner, list[0]) else { continue }
            leaves.under.append(DigestLeaf(url: url, etag: list[1]))
        }
        guard let sql = Self.documents[owner.kind] else { return leaves }
        let documents = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [owner.id])
        while let document = try documents.next() {
            guard let url = names.document(owner, document[0]) else { continue }
            leaves.under.append(DigestLeaf(url: url, etag: document[1]))
        }
        return leaves
    }

    package func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws {
        for kind in Kinds.standard.all where kind != .document {
            let hasParts = kind == .show || kind == .artist || kind == .album || kind == .location
            let rows = try Row.fetchCursor(reader.db.cachedStatement(sql: Self.all[kind] ?? ""))
            while let row = try rows.next() {
                let owner = Owner(kind, row[0])
                if hasParts {
                    try body(owner, try leaves(of: owner, in: reader))
                } else if let url = names.object(owner) {
                    try body(owner, OwnedLeaves(own: DigestLeaf(url: url, etag: row[1])))
                }
            }
        }
    }

    // MARK: - Statements

    /// What an object's row has to be for it to be in the digest at all.
    private static func isHeld(_ kind: Kind) -> String {
        let listed = Kinds.standard.listed.contains(kind) ? " AND linked = 0" : ""
        return
            "ghost = 0 AND kept = 0\(listed)\(kind == .album ? " AND acknowledged = 1" : "")"
    }

    private static let object = statements { kind in
        "SELECT etag, \(isHeld(kind)) FROM \"\(kind.table)\" WHERE id = ?"
    }

    private static let all = statements { kind in
        "SELECT id, etag FROM \"\(kind.table)\" WHERE etag IS NOT NULL AND \(isHeld(kind))"
    }

    private static func statements(_ make: (Kind) -> String) -> [Kind: String] {
        Dictionary(
            uniqueKeysWithValues: Kinds.standard.all.filter { $0 != .document }.map { ($0, make($0)) })
    }

    private static let lists = """
        SELECT name, etag FROM list
        WHERE owner_kind = ? AND owner_id = ? AND complete = 1 AND pending = 0 AND etag IS NOT NULL
        """

    private static let documents: [Kind: String] = Dictionary(
        uniqueKeysWithValues: [Kind.show, .artist].map { kind in
            (
                kind,
                """
                SELECT id, etag FROM document
                WHERE \(kind.name)_id = ? AND ghost = 0 AND kept = 0 AND etag IS NOT NULL
                """
            )
        })
}
