import Catalogue
import Hummingbird
import MirrorStore

/// What a snapshot consists of: which URLs, and the JSON that each is answered with.
struct SnapshotSource: Sendable {
    let leaves: ServedLeaves
    private let router: Catalogue.Router

    /// - Parameter partner: the partner's id.
    init(partner: String) {
        leaves = ServedLeaves(partner: partner)
        router = Catalogue.Router(partner: partner)
    }

    /// The partner's own lists, which the digest doesn't have.
    func ownLists(_ reader: ServedReader) throws -> [DigestLeaf] {
        try Self.kinds.compactMap { kind, list in
            guard let url = router.list(list).listURL else { return nil }
            var ids = try ids(of: kind, reader)
            return DigestLeaf(url: url, etag: ids.takeETag())
        }
    }

    private static let kinds: [(ObjectKind, PartnerList)] = ObjectKind.listed.compactMap { kind in
        PartnerList(rawValue: "\(kind.rawValue)s").map { (kind, $0) }
    }

    private func ids(of kind: ObjectKind, _ reader: ServedReader) throws -> ListWriter {
        var list = ListWriter()
        try reader.eachListedID(kind) { list.append(id: $0) }
        return list
    }

    /// The JSON of a URL, as one line; `nil` for what isn't served.
    func body(of url: String, _ reader: ServedReader) throws -> ByteBuffer? {
        guard let resource = router.resource(at: url) else {
            return try Self.kinds.first { router.list($0.1).listURL == url }.map {
                try ids(of: $0.0, reader).part(isLast: true)
            }
        }
        switch resource {
        case .partner: return try reader.body(of: .partner).map(ByteBuffer.init(string:))
        case .user: return try reader.body(of: .user).map(ByteBuffer.init(string:))
        case .object(let kind, let id):
            return try ObjectKind(rawValue: kind.rawValue).flatMap { try reader.listed($0, id) }
                .map { ByteBuffer(string: $0.body) }
        case .document(let kind, let owner, let id):
            return try ObjectKind(rawValue: kind.rawValue).flatMap {
                try reader.document(of: Owner($0, owner), id)
            }.map(ByteBuffer.init(string:))
        case .list(let kind, let owner, let list):
            guard let kind = ObjectKind(rawValue: kind.rawValue) else { return nil }
            return try members(list, of: Owner(kind, owner), reader).buffer
        }
    }

    private func members(_ list: CanonicalResource.List, of owner: Owner, _ reader: ServedReader) throws
        -> ListBody
    {
        switch list {
        case .artworks: try .ids(reader.members(of: owner))
        case .documents: try .documents(reader.documents(of: owner))
        case .installationShots: try .values(reader.images(ofShow: owner.id, role: .installation))
        case .cover: try .values(reader.images(ofShow: owner.id, role: .cover))
        }
    }

    /// The line that stands for a URL; `nil` for what isn't served.
    func line(_ entry: ServedInstant.Entry, _ reader: ServedReader) throws -> ByteBuffer? {
        guard var body = try body(of: entry.url, reader) else { return nil }
        var line = ByteBuffer()
        line.writeString("{\"url\":")
        line.writeString(JSONValue.string(entry.url).canonicalText)
        line.writeString(",\"etag\":")
        line.writeString(JSONValue.string(entry.etag).canonicalText)
        line.writeString(",\"body\":")
        line.writeBuffer(&body)
        line.writeString("}\n")
        return line
    }
}
