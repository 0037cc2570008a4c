import Catalogue
import GRDB

/// The ETags that a digest summarises.
package enum DigestSide: Int64, Sendable, CaseIterable {
    /// The ETags with which this mirror is served.
    case served = 0
    /// The ETags that the origin sent.
    case origin = 1
}

/// The leaves of an object in a digest.
package struct OwnedLeaves: Sendable, Hashable {
    /// The object's own leaf; `nil` if the object isn't in the digest. Then it has no other leaves either.
    package var own: DigestLeaf?
    /// The leaves of the object's lists and documents.
    package var under: [DigestLeaf]

    package init(own: DigestLeaf? = nil, under: [DigestLeaf] = []) {
        self.own = own
        self.under = under
    }
}

/// Computes the current leaves of a digest, by object.
package protocol DigestSource: Sendable {
    var side: DigestSide { get }
    /// An object's canonical URL; `nil` for a kind whose objects aren't in the digest.
    func url(of owner: Owner) -> String?
    /// The current leaves of an object.
    func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves
    /// Calls `body` for every object that is in the digest now.
    func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws
}

/// The leaves of the origin's digest: the ETags from which the stored objects, documents and lists were made.
///
/// Objects that are marked for refetching are included: if the server still has that ETag, the stored version is the server's.
/// Ghosts, kept and linked objects, and objects that the server hasn't acknowledged are left out, with their lists and
/// documents.
package struct OriginLeaves: DigestSource {
    private let router: Router

    package init(_ router: Router) { self.router = router }

    package var side: DigestSide { .origin }

    package func url(of owner: Owner) -> String? { router.url(of: .object(owner.kind, id: owner.id)) }

    package func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves {
        guard let own = url(of: owner) else { return OwnedLeaves() }
        let object = try reader.db.row(
            "SELECT etag, \(Self.isIncluded(owner.kind)) FROM \"\(owner.kind.table)\" WHERE id = ?",
            [owner.id])
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
            let sql = """
                SELECT id, etag FROM "\(kind.table)" WHERE etag IS NOT NULL AND \(Self.isIncluded(kind))
                """
            try reader.db.forEach(sql) { row in
                let owner = Owner(kind, row[0])
                if !kind.lists.isEmpty {
                    try body(owner, try leaves(of: owner, in: reader))
                } else if let url = url(of: owner) {
                    try body(owner, OwnedLeaves(own: DigestLeaf(url: url, etag: row[1])))
                }
            }
        }
    }

    /// SQL: whether an object's row is in the digest.
    private static func isIncluded(_ kind: Kind) -> String {
        "ghost = 0 AND kept = 0\(kind.isListed ? " AND linked = 0" : "")\(kind.isAcknowledged)"
    }
}
