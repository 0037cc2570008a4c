import Catalogue
import Hummingbird
import MirrorStore

/// The complete body of a list and its ETag.
///
/// Equal elements give equal bytes. So a mirror that was made from another mirror serves the same bodies and ETags.
struct ListBody: Sendable {
    let buffer: ByteBuffer
    let etag: String

    /// The empty list, which is the most common list of documents.
    static let empty = ListBody(buffer: ByteBuffer(string: "[]"), etag: EntityTag.strong(of: "[]"))

    /// An array of id strings.
    static func ids(_ ids: some Sequence<String>) -> ListBody {
        var writer = ListWriter()
        for id in ids { writer.append(id: id) }
        return writer.body()
    }

    /// An array of the ids of documents.
    ///
    /// The ETag also covers the documents' own ETags, because only the list's ETag tells a client that a document changed.
    static func documents(_ documents: [(id: String, etag: String)]) -> ListBody {
        guard !documents.isEmpty else { return .empty }
        var tags = ListWriter()
        for document in documents { tags.append(elementID: document.id, etag: document.etag) }
        return ListBody(buffer: ids(documents.map(\.id)).buffer, etag: tags.body().etag)
    }

    /// An array of elements, each passed as JSON text.
    static func values(_ elements: some Sequence<String>) -> ListBody {
        var writer = ListWriter()
        for element in elements { writer.append(json: element) }
        return writer.body()
    }
}

extension ServedReader {
    /// The complete list under an object.
    func list(_ list: ObjectList, of owner: Owner) throws -> ListBody {
        switch list {
        case .artworks: try .ids(members(of: owner))
        case .documents: try .documents(documents(of: owner))
        case .installationShots: try .values(images(ofShow: owner.id, role: .installation))
        case .cover: try .values(images(ofShow: owner.id, role: .cover))
        }
    }

    /// The partner's own list of a kind, in the form of the extension `validators`.
    ///
    /// Each element has the object's id, its ETag, and the ETag of each list under the object. These are the ETags that this
    /// server sends when the objects and lists are requested.
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

/// Writes a JSON array in canonical form into a buffer.
struct ListWriter {
    private var bytes: [UInt8]
    private(set) var count: Int

    /// Creates a writer for a list, or for the next part of a list.
    ///
    /// - Parameter written: the number of the list's elements that are in earlier parts. Default: 0, a new list.
    init(after written: Int = 0) {
        bytes = written == 0 ? [UInt8(ascii: "[")] : []
        count = written
    }

    /// The number of bytes written.
    var size: Int { bytes.count }

    mutating func append(id: String) {
        separate()
        bytes += JSONValue.string(id).canonicalBytes
    }

    mutating func append(json: String) {
        separate()
        bytes += json.utf8
    }

    /// Appends an element of a list with validators, of a `since` answer, or of a feed of events.
    ///
    /// `object` is appended last, because it is the last key in canonical order.
    ///
    /// - Parameters:
    ///   - action: for a feed of events.
    ///   - deletedAt: for a `since` answer, when the object was deleted.
    ///   - lists: names and ETags of the lists under the object.
    ///   - object: the object's JSON.
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

    /// The bytes of one part of a list. Unless it is the last part, another writer continues the list.
    consuming func part(isLast: Bool) -> ByteBuffer {
        if isLast { bytes.append(UInt8(ascii: "]")) }
        return ByteBuffer(bytes: bytes)
    }

    private mutating func separate() {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        count += 1
    }
}
