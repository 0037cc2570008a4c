import Catalogue
import Hummingbird
import MirrorStore

/// All served canonical URLs, with their ETags for the digest, and with their JSON for a snapshot.
struct ServedLeaves: DigestSource {
    /// The kinds with one object and no list.
    private static let singles = [Kind.partner, .user]

    private let router: Catalogue.Router
    private let kinds: Kinds

    /// `nil` while the mirror has no partner.
    ///
    /// - Throws: ``StoreError``.
    init?(_ store: CatalogueStore) throws {
        guard let partner = try store.servedSingle(.partner)?.id else { return nil }
        router = Router(partner: partner)
        kinds = store.kinds
    }

    // MARK: - The digest

    var side: DigestSide { .served }

    func url(of owner: Owner) -> String? { router.url(of: .object(owner.kind, id: owner.id)) }

    func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves {
        if owner.kind.isListed {
            return try leaves(of: owner, etag: reader.listed(owner.kind, owner.id)?.etag, in: reader)
        }
        guard Self.singles.contains(owner.kind), let single = try reader.single(owner.kind),
            single.id == owner.id
        else {
            return OwnedLeaves()
        }
        return try leaves(of: owner, etag: single.body.etag, in: reader)
    }

    func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws {
        for kind in Self.singles {
            guard let single = try reader.single(kind) else { continue }
            let owner = Owner(kind, single.id)
            try body(owner, leaves(of: owner, etag: single.body.etag, in: reader))
        }
        for kind in kinds.listed {
            try reader.eachListed(kind) { id, etag in
                let owner = Owner(kind, id)
                try body(owner, try leaves(of: owner, etag: etag, in: reader))
            }
        }
    }

    /// The leaf of an object, and the leaves of the lists and documents under it.
    private func leaves(of owner: Owner, etag: String?, in reader: ServedReader) throws -> OwnedLeaves {
        guard let url = url(of: owner), let etag else { return OwnedLeaves() }
        var leaves = OwnedLeaves(own: DigestLeaf(url: url, etag: etag))
        for list in owner.kind.lists {
            guard let url = router.url(of: .list(owner, list)) else { continue }
            leaves.under.append(DigestLeaf(url: url, etag: try reader.list(list, of: owner).etag))
        }
        guard owner.kind.hasDocuments else { return leaves }
        for document in try reader.documents(of: owner) {
            guard let url = router.url(of: .document(owner, id: document.id)) else { continue }
            leaves.under.append(DigestLeaf(url: url, etag: document.etag))
        }
        return leaves
    }

    // MARK: - A snapshot

    /// The partner's own lists, which the digest doesn't contain.
    func ownLists(_ reader: ServedReader) throws -> [DigestLeaf] {
        try kinds.listed.compactMap { kind in
            guard let url = router.list(kind).listURL else { return nil }
            return DigestLeaf(url: url, etag: try ids(of: kind, reader).etag)
        }
    }

    private func ids(of kind: Kind, _ reader: ServedReader) throws -> ListBody {
        var list = ListWriter()
        try reader.eachListedID(kind) { list.append(id: $0) }
        return list.body()
    }

    /// The JSON of a URL, as one line; `nil` if the URL isn't served.
    private func body(of url: String, _ reader: ServedReader) throws -> ByteBuffer? {
        guard let resource = router.resource(at: url, among: kinds) else {
            return try kinds.listed.first { router.list($0).listURL == url }.map {
                try ids(of: $0, reader).buffer
            }
        }
        switch resource {
        case .object(let kind, let id):
            return try (kind.isListed ? reader.listed(kind, id)?.body : reader.single(kind)?.body.body)
                .map(ByteBuffer.init(string:))
        case .document(let owner, let id):
            return try (reader.document(of: owner, id)?.body).map(ByteBuffer.init(string:))
        case .list(let owner, let list): return try reader.list(list, of: owner).buffer
        }
    }

    /// The snapshot's line for a URL; `nil` if the URL isn't served.
    func line(_ entry: ServedSnapshot.Entry, _ reader: ServedReader) throws -> ByteBuffer? {
        guard var body = try body(of: entry.url, reader) else { return nil }
        let url = JSONValue.string(entry.url).canonicalText, etag = JSONValue.string(entry.etag).canonicalText
        var line = ByteBuffer(string: "{\"url\":\(url),\"etag\":\(etag),\"body\":")
        line.writeBuffer(&body)
        line.writeString("}\n")
        return line
    }
}
