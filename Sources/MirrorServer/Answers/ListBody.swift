import Catalogue
import Hummingbird
import MirrorStore

/// The whole body of a list and its ETag: equal members, equal bytes, on every server of a chain.
struct ListBody: Sendable {
    let buffer: ByteBuffer
    let etag: String

    /// Most lists of documents are.
    static let empty = ListBody(buffer: ByteBuffer(string: "[]"), etag: EntityTag.strong(of: "[]"))

    /// An array of id strings.
    static func ids(_ ids: some Sequence<String>) -> ListBody {
        var writer = ListWriter()
        for id in ids { writer.append(id: id) }
        return writer.body()
    }

    /// The ids of documents. The ETag covers the documents' own too: the list is the only place where a client that
    /// holds it learns that one of them changed.
    static func documents(_ documents: [(id: String, etag: String)]) -> ListBody {
        guard !documents.isEmpty else { return .empty }
        var tags = ListWriter()
        for document in documents { tags.append(elementID: document.id, etag: document.etag) }
        return ListBody(buffer: ids(documents.map(\.id)).buffer, etag: tags.body().etag)
    }

    /// An array of values that are JSON already.
    static func values(_ values: some Sequence<String>) -> ListBody {
        var writer = ListWriter()
        for value in values { writer.append(json: value) }
        return writer.body()
    }
}

extension ServedReader {
    /// A list under an object, as this server answers it whole.
    func list(_ list: ObjectList, of owner: Owner) throws -> ListBody {
        switch list {
        case .artworks: try .ids(members(of: owner))
        case .documents: try .documents(documents(of: owner))
        case .installationShots: try .values(images(ofShow: owner.id, role: .installation))
        case .cover: try .values(images(ofShow: owner.id, role: .cover))
        }
    }

    /// The partner's own list of a kind as the `validators` extension has it: every object's ETag, and those of the lists
    /// under it, each exactly the ETag with which this server answers that list.
    func validators(of kind: Kind) throws -> ListBody {
        var writer = ListWriter()
        try eachListed(kind) { id, etag in
            writer.append(elementID: id, etag: etag, lists: try listETags(of: Owner(kind, id)))
        }
        return writer.body()
    }

    /// The names and ETags of all lists under an object.
    func listETags(of owner: Owner) throws -> [(name: String, etag: String)] {
        try owner.kind.lists.map { ($0.rawValue, try list($0, of: owner).etag) }
    }
}

/// Writes a JSON array in canonical form into one buffer, without a value for each member.
struct ListWriter {
    private var bytes: [UInt8]
    private(set) var count: Int

    /// - Parameter written: members that an earlier writer has taken, where this one goes on with the same list.
    init(after written: Int = 0) {
        bytes = written == 0 ? [UInt8(ascii: "[")] : []
        count = written
    }

    /// Bytes that were written.
    var size: Int { bytes.count }

    mutating func append(id: String) {
        separate()
        bytes += JSONValue.string(id).canonicalBytes
    }

    mutating func append(json: String) {
        separate()
        bytes += json.utf8
    }

    /// An element of a validators list, of a `since` answer, or of a feed of events. Its members stand in the
    /// order of their keys, of which `object` is the last.
    ///
    /// - Parameters:
    ///   - action: as on the wire.
    ///   - deletedAt: in a `since` answer, when the object was deleted.
    ///   - lists: names and ETags.
    ///   - object: JSON already.
    mutating func append(
        action: PartnerEvent.Action? = nil, deletedAt: String? = nil, elementID id: String,
        kind: String? = nil, etag: String? = nil, lists: [(name: String, etag: String)] = [],
        object: String? = nil
    ) {
        separate()
        let tags = JSONObject(lists.map { ($0.name, .string($0.etag)) })
        var element: JSONObject = ["id": .string(id)]
        element["action"] = action.map { .number(JSONNumber($0.rawValue)) }
        element["deleted_at"] = deletedAt.map(JSONValue.string)
        element["etag"] = etag.map(JSONValue.string)
        element["kind"] = kind.map(JSONValue.string)
        element["lists"] = lists.isEmpty ? nil : .object(tags)
        bytes += element.canonicalBytes
        guard let object else { return }
        bytes.removeLast()
        bytes += ",\"object\":\(object)}".utf8
    }

    consuming func body() -> ListBody {
        guard count > 0 else { return .empty }
        bytes.append(UInt8(ascii: "]"))
        return ListBody(buffer: ByteBuffer(bytes: bytes), etag: "\"\(EntryDigest.of(bytes))\"")
    }

    /// The bytes of a part of a list, which another writer may go on with.
    consuming func part(isLast: Bool) -> ByteBuffer {
        if isLast { bytes.append(UInt8(ascii: "]")) }
        return ByteBuffer(bytes: bytes)
    }

    private mutating func separate() {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        count += 1
    }
}
