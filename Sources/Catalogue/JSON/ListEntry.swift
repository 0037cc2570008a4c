/// An element of a list: an object's id with optional ETags, object and time of deletion.
///
/// | answer | element |
/// |---|---|
/// | list of ids | `"id"` |
/// | list with validators | `{"id", "etag", "lists"}` |
/// | `since` | `{"id", "etag", "lists", "object"}`, or the tombstone `{"id", "deleted_at"}` |
/// | page | the full object |
public struct ListEntry: Sendable, Hashable {
    /// The object's id.
    public let id: String
    /// The object's ETag, quotes included.
    public let etag: String?
    /// ETags of the lists under the object, by the lists' names (`artworks`, `images?default=0`, …).
    public let lists: [String: String]?
    /// The object, if the element contains it.
    public let object: JSONObject?
    /// When the object was deleted (RFC 3339); only in tombstones.
    public let deletedAt: String?
    /// Whether the element is the full object itself, as on pages, and not an element with a member `object`.
    public let isFullObject: Bool

    /// Creates an element. Default: only an id.
    public init(
        id: String, etag: String? = nil, lists: [String: String]? = nil, object: JSONObject? = nil,
        deletedAt: String? = nil, isFullObject: Bool = false
    ) {
        self.isFullObject = isFullObject
        self.id = id
        self.etag = etag
        self.lists = lists
        self.object = object
        self.deletedAt = deletedAt
    }

    /// Reads an element of a list.
    /// - Throws: ``PayloadError`` if it has no id. The other elements of the list are still valid.
    public init(_ element: JSONValue) throws(PayloadError) {
        let id = try Self.id(of: element)
        guard case .object(let members) = element else {
            self.init(id: id)
            return
        }
        let inner = members["object"]?.objectValue
        let isFullObject = inner == nil && members.members.contains { !Self.ownNames.contains($0.key) }
        self.init(
            id: id, etag: members.etag, lists: members.listETags,
            object: inner ?? (isFullObject ? members : nil),
            deletedAt: members["deleted_at"]?.stringValue, isFullObject: isFullObject)
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

extension JSONObject {
    /// The field `etag`; `nil` if it is blank.
    var etag: String? { self["etag"]?.stringValue.flatMap { $0.isBlank ? nil : $0 } }

    /// The field `lists`: ETags of the lists under an object, by the lists' names.
    var listETags: [String: String]? {
        self["lists"]?.objectValue.map { lists in
            let pairs = lists.members.compactMap { list in list.value.stringValue.map { (list.key, $0) } }
            return Dictionary(pairs) { $1 }
        }
    }
}

/// Collects the elements of a list that have no usable id. They make the list incomplete; other elements stay valid.
///
/// The first five are described by their positions; further ones are only counted.
public struct UnusableElements: Sendable, Hashable {
    /// The number of elements.
    public private(set) var count = 0
    /// Descriptions of the first elements.
    private var descriptions: [String] = []

    private static let descriptionLimit = 5

    /// Creates an empty collection.
    public init() {}

    /// Whether there are no such elements.
    public var isEmpty: Bool { count == 0 }

    /// Adds an element.
    ///
    /// - Parameter place: its position, counted from 1: `element 2`, `element 2 of page 3`, `line 2`.
    public mutating func add(_ element: JSONValue, at place: @autoclosure () -> String) {
        count += 1
        guard descriptions.count < Self.descriptionLimit else { return }
        descriptions.append("\(place()) is \(Self.word(for: element))")
    }

    /// A description such as `element 2 is null, element 7 is an empty text`, with the number of any further elements.
    public var summary: String {
        let others = count - descriptions.count
        return (descriptions + (others > 0 ? ["and \(others) more"] : [])).joined(separator: ", ")
    }

    /// Describes an element without a usable id in a few words, without its text.
    static func word(for element: JSONValue) -> String {
        guard case .object(let object) = element else { return word(forID: element) }
        switch object["id"] {
        case nil: return "an object without an id"
        case let id?: return "an object whose id is \(word(forID: id))"
        }
    }

    private static func word(forID value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number: "a number that is not an integer"
        case .string(let text) where text.utf8.contains(0): "a text with a NUL character"
        case .string(let text) where text.isBlank: "an empty text"
        case .string: "a text instead of an object"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    /// The ids of an array's elements, in order, and the elements without a usable id.
    ///
    /// `null` is an empty list. Any other value that isn't an array counts as one unusable element.
    package func listedIDs() -> (ids: [String], unusable: UnusableElements) {
        var ids: [String] = [], unusable = UnusableElements()
        if arrayValue == nil, self != .null { unusable.add(self, at: "in place of a list there") }
        for (index, element) in (arrayValue ?? []).enumerated() {
            if let id = try? ListEntry.id(of: element) {
                ids.append(id)
            } else {
                unusable.add(element, at: "element \(index + 1)")
            }
        }
        return (ids, unusable)
    }
}
