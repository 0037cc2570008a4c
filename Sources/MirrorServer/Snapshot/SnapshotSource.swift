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
        try Kinds.standard.listed.compactMap { kind in
            guard let url = router.list(kind).listURL else { return nil }
            var ids = try ids(of: kind, reader)
            return DigestLeaf(url: url, etag: ids.takeETag())
        }
    }

    private func ids(of kind: Kind, _ reader: ServedReader) throws -> ListWriter {
        var list = ListWriter()
        try reader.eachListedID(kind) { list.append(id: $0) }
        return list
    }

    /// The JSON of a URL, as one line; `nil` for what isn't served.
    func body(of url: String, _ reader: ServedReader) throws -> ByteBuffer? {
        guard let resource = router.resource(at: url) else {
            return try Kinds.standard.listed.first { router.list($0).listURL == url }.map {
                try ids(of: $0, reader).part(isLast: true)
            }
        }
        switch resource {
        case .object(let kind, let id):
            return try (kind.isListed ? reader.listed(kind, id)?.body : reader.single(kind)?.body.body)
                .map(ByteBuffer.init(string:))
        case .document(let owner, let id):
            return try (reader.document(of: owner, id)?.body).map(ByteBuffer.init(string:))
        case .list(let owner, let list): return try list.body(of: owner, in: reader).buffer
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
