/// One element of a list: an id, with what the server says of the object beside it.
///
/// An element is a plain id; `{"id", "etag", "lists"}` of a validators list; `{"id", "etag", "lists", "object"}` or a
/// tombstone `{"id", "deleted_at"}` of a `since` answer; or, on pages, the full object itself.
public struct ListEntry: Sendable, Hashable {
    public let id: String
    /// The object's ETag as on the wire, quotes included.
    public let etag: String?
    /// ETags of the lists under the object, by the lists' names (`artworks`, `images?default=0`, …).
    public let lists: [String: String]?
    /// The object itself, where the element has it.
    public let object: JSONObject?
    /// When the object was deleted; only in tombstones.
    public let deletedAt: String?
    /// Whether the element is an object with fields of its own, and not one that has ``object`` in it: the full object, as on
    /// pages.
    public let isWhole: Bool

    public init(
        id: String, etag: String? = nil, lists: [String: String]? = nil, object: JSONObject? = nil,
        deletedAt: String? = nil, isWhole: Bool = false
    ) {
        self.isWhole = isWhole
        self.id = id
        self.etag = etag
        self.lists = lists
        self.object = object
        self.deletedAt = deletedAt
    }

    /// Reads an element of a list.
    /// - Throws: ``PayloadError`` if it has no id. That is a fault of the element, not of the list.
    public init(_ element: JSONValue) throws(PayloadError) {
        guard case .object(let members) = element else {
            self.init(id: try Self.id(of: element))
            return
        }
        let id = try Self.id(of: element)
        let lists = members["lists"]?.objectValue.map { lists in
            Dictionary(
                lists.members.compactMap { list in list.value.stringValue.map { (list.key, $0) } },
                uniquingKeysWith: { $1 })
        }
        let etag = members["etag"]?.stringValue.flatMap { $0.isBlank ? nil : $0 }
        let deletedAt = members["deleted_at"]?.stringValue
        let inner = members["object"]?.objectValue
        let isWhole = inner == nil && members.members.contains { !Self.ownNames.contains($0.key) }
        self.init(
            id: id, etag: etag, lists: lists, object: inner ?? (isWhole ? members : nil),
            deletedAt: deletedAt, isWhole: isWhole)
    }

    /// The id of an element of a list; its other fields are ignored.
    /// - Throws: ``PayloadError`` if it has none.
    public static func id(of element: JSONValue) throws(PayloadError) -> String {
        let value = element.objectValue.map { $0["id"] } ?? element
        guard let id = value?.idText else {
            throw PayloadError(
                kind: "list",
                message: "An element of a list has no id: it is \(UnusableElements.word(for: element)).")
        }
        return id
    }

    private static let ownNames: Set<String> = ["id", "etag", "lists", "deleted_at", "object"]
}
