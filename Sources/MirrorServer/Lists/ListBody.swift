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

    /// The ids of documents. The ETag covers the documents' own too: the list is the only place where whoever holds it
    /// learns that one of them changed.
    static func documents(_ documents: [(id: String, etag: String)]) -> ListBody {
        guard !documents.isEmpty else { return .empty }
        var ids = ListWriter(), tags = ListWriter()
        for document in documents {
            ids.append(id: document.id)
            tags.append(id: document.id, etag: document.etag, lists: [])
        }
        return ListBody(buffer: ids.part(isLast: true), etag: tags.takeETag())
    }

    /// An array of values that are JSON already.
    static func values(_ values: some Sequence<String>) -> ListBody {
        var writer = ListWriter()
        for value in values { writer.append(json: value) }
        return writer.body()
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
        write(id)
    }

    mutating func append(json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
    }

    /// An element of a validators list or, with the object, of a `since` answer. Members stand in the order of their
    /// keys.
    ///
    /// - Parameters:
    ///   - lists: names, in order of their bytes, and ETags.
    ///   - object: JSON already.
    mutating func append(
        id: String, etag: String, lists: [(name: String, etag: String)], object: String? = nil
    ) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        write(id: id, kind: nil, etag: etag, lists: lists, object: object)
    }

    /// An element of a feed of events; without an ETag and what follows if the object is gone.
    ///
    /// - Parameters:
    ///   - action: as on the wire.
    ///   - kind: a plain word.
    mutating func append(
        action: Int, kind: String, id: String, etag: String? = nil,
        lists: [(name: String, etag: String)] = [], object: String? = nil
    ) {
        separate()
        bytes.append(contentsOf: "{\"action\":\(action),".utf8)
        write(id: id, kind: kind, etag: etag, lists: lists, object: object)
    }

    /// The members of an element, and its end.
    private mutating func write(
        id: String, kind: String?, etag: String?, lists: [(name: String, etag: String)], object: String?
    ) {
        if let etag {
            bytes.append(contentsOf: "\"etag\":".utf8)
            write(etag)
            bytes.append(UInt8(ascii: ","))
        }
        bytes.append(contentsOf: "\"id\":".utf8)
        write(id)
        if let kind { bytes.append(contentsOf: ",\"kind\":\"\(kind)\"".utf8) }
        for (index, list) in lists.enumerated() {
            bytes.append(contentsOf: (index == 0 ? ",\"lists\":{" : ",").utf8)
            write(list.name)
            bytes.append(UInt8(ascii: ":"))
            write(list.etag)
        }
        if !lists.isEmpty { bytes.append(UInt8(ascii: "}")) }
        if let object {
            bytes.append(contentsOf: ",\"object\":".utf8)
            bytes.append(contentsOf: object.utf8)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// What a `since` answer has of an object that isn't served any more.
    mutating func append(tombstone id: String, at time: String) {
        separate()
        bytes.append(contentsOf: "{\"deleted_at\":".utf8)
        write(time)
        bytes.append(contentsOf: ",\"id\":".utf8)
        write(id)
        bytes.append(UInt8(ascii: "}"))
    }

    /// The ETag of what was written, after which the next list can be begun with the same memory.
    mutating func takeETag() -> String {
        bytes.append(UInt8(ascii: "]"))
        let etag = bytes.withUnsafeBytes { EntityTag.strong(of: $0) }
        bytes.removeLast(bytes.count - 1)
        count = 0
        return etag
    }

    consuming func body() -> ListBody {
        guard count > 0 else { return .empty }
        bytes.append(UInt8(ascii: "]"))
        return ListBody(
            buffer: ByteBuffer(bytes: bytes), etag: bytes.withUnsafeBytes { EntityTag.strong(of: $0) })
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

    private mutating func write(_ text: String) { bytes += JSONValue.string(text).canonicalBytes }
}
