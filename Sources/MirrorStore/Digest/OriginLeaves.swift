import Catalogue
import GRDB

/// Which ETags a digest is over.
package enum DigestSide: Int64, Sendable, CaseIterable {
    /// Those that this mirror gives when it is served.
    case served = 0
    /// Those that the server gave of which this is a mirror.
    case origin = 1
}

/// What an object has in a digest.
package struct OwnedLeaves: Sendable, Hashable {
    /// The object's own; `nil` of what isn't in the digest, and then there is nothing under it either.
    package var own: DigestLeaf?
    /// The lists under it, and its documents.
    package var under: [DigestLeaf]

    package init(own: DigestLeaf? = nil, under: [DigestLeaf] = []) {
        self.own = own
        self.under = under
    }
}

/// Knows the leaves of a digest, by the objects that they belong to.
package protocol DigestSource: Sendable {
    var side: DigestSide { get }
    /// An object's canonical URL; `nil` for a kind whose objects have none in the digest.
    func url(of owner: Owner) -> String?
    /// What an object has in the digest now.
    func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves
    /// Everything that is in the digest now, object by object.
    func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws
}

/// What this mirror holds of its origin: the ETags that objects, documents and lists were made from.
///
/// What is to be requested again is in it as what it is: if the server still gives that ETag, it is what the server has. What
/// was restored, is only referred to, or that no server knows yet is not in it, nor is what is under that.
package struct OriginLeaves: DigestSource {
    private let router: Router

    package init(_ router: Router) { self.router = router }

    package var side: DigestSide { .origin }

    package func url(of owner: Owner) -> String? { router.url(of: .object(owner.kind, id: owner.id)) }

    package func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves {
        guard let own = url(of: owner) else { return OwnedLeaves() }
        let object = try reader.db.row(
            "SELECT etag, \(Self.isHeld(owner.kind)) FROM \"\(owner.kind.table)\" WHERE id = ?", [owner.id])
        guard let object, object[1], let etag: String = object[0] else { return OwnedLeaves() }
        return OwnedLeaves(
            own: DigestLeaf(url: own, etag: etag),
            under: try lists(under: owner, reader.db) + documents(under: owner, reader.db))
    }

    private func lists(under owner: Owner, _ db: Database) throws -> [DigestLeaf] {
        guard !owner.kind.lists.isEmpty else { return [] }
        return try db.rows(
            """
            SELECT name, etag FROM list
            WHERE owner_kind = ? AND owner_id = ? AND complete = 1 AND pending = 0 AND etag IS NOT NULL
            """, [owner.kind.name, owner.id]
        ).compactMap { row in
            let url = ObjectList(rawValue: row[0]).flatMap { router.url(of: .list(owner, $0)) }
            return url.map { DigestLeaf(url: $0, etag: row[1]) }
        }
    }

    private func documents(under owner: Owner, _ db: Database) throws -> [DigestLeaf] {
        guard owner.kind.hasDocuments else { return [] }
        return try db.rows(
            """
            SELECT id, etag FROM document
            WHERE \(owner.kind.idColumn) = ? AND ghost = 0 AND kept = 0 AND etag IS NOT NULL
            """, [owner.id]
        ).compactMap { row in
            router.url(of: .document(owner, id: row[0])).map { DigestLeaf(url: $0, etag: row[1]) }
        }
    }

    package func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws {
        for kind in reader.kinds.objects {
            let held = """
                SELECT id, etag FROM "\(kind.table)" WHERE etag IS NOT NULL AND \(Self.isHeld(kind))
                """
            try reader.db.forEach(held) { row in
                let owner = Owner(kind, row[0])
                if !kind.lists.isEmpty {
                    try body(owner, try leaves(of: owner, in: reader))
                } else if let url = url(of: owner) {
                    try body(owner, OwnedLeaves(own: DigestLeaf(url: url, etag: row[1])))
                }
            }
        }
    }

    /// What an object's row has to be for it to be in the digest at all.
    private static func isHeld(_ kind: Kind) -> String {
        "ghost = 0 AND kept = 0\(kind.isListed ? " AND linked = 0" : "")\(kind.isAcknowledged)"
    }
}
