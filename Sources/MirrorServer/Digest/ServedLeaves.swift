import Catalogue
import MirrorStore

/// What this server gives, as leaves of its digest: every canonical URL with the ETag that it is answered with.
struct ServedLeaves: DigestSource {
    private let router: Router

    /// - Parameter partner: the partner's id.
    init(partner: String) { router = Router(partner: partner) }

    var side: DigestSide { .served }

    func url(of owner: Owner) -> String? { router.url(of: .object(owner.kind, id: owner.id)) }

    func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves {
        switch owner.kind {
        case .partner, .user:
            let single = try reader.single(owner.kind)
            return leaves(of: owner, etag: single.flatMap { $0.id == owner.id ? $0.body.etag : nil })
        case .document: return OwnedLeaves()
        default: return try leaves(of: owner, etag: reader.listed(owner.kind, owner.id)?.etag, in: reader)
        }
    }

    func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws {
        for kind in [Kind.partner, .user] {
            guard let single = try reader.single(kind) else { continue }
            let owner = Owner(kind, single.id)
            try body(owner, leaves(of: owner, etag: single.body.etag))
        }
        for kind in Kinds.standard.listed {
            try reader.eachListed(kind) { id, etag in
                let owner = Owner(kind, id)
                try body(owner, try leaves(of: owner, etag: etag, in: reader))
            }
        }
    }

    private func leaves(of owner: Owner, etag: String?) -> OwnedLeaves {
        guard let url = url(of: owner), let etag else { return OwnedLeaves() }
        return OwnedLeaves(own: DigestLeaf(url: url, etag: etag))
    }

    private func leaves(of owner: Owner, etag: String?, in reader: ServedReader) throws -> OwnedLeaves {
        var leaves = leaves(of: owner, etag: etag)
        guard leaves.own != nil else { return leaves }
        for list in owner.kind.lists {
            guard let url = router.url(of: .list(owner, list)) else { continue }
            leaves.under.append(DigestLeaf(url: url, etag: try list.body(of: owner, in: reader).etag))
        }
        guard owner.kind.hasDocuments else { return leaves }
        for document in try reader.documents(of: owner) {
            guard let url = router.url(of: .document(owner, id: document.id)) else { continue }
            leaves.under.append(DigestLeaf(url: url, etag: document.etag))
        }
        return leaves
    }
}
