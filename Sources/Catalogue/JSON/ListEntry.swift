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
        let id = try Self.id(of: element)
        guard case .object(let members) = element else {
            self.init(id: id)
            return
        }
        let inner = members["object"]?.objectValue
        let isWhole = inner == nil && members.members.contains { !Self.ownNames.contains($0.key) }
        self.init(
            id: id, etag: members.etag, lists: members.listETags, object: inner ?? (isWhole ? members : nil),
            deletedAt: members["deleted_at"]?.stringValue, isWhole: isWhole)
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
    /// The field `etag`, as servers write it beside an object; `nil` for a blank one.
    var etag: String? { self["etag"]?.stringValue.flatMap { $0.isBlank ? nil : $0 } }

    /// The field `lists`: ETags of the lists under an object, by the lists' names.
    var listETags: [String: String]? {
        self["lists"]?.objectValue.map { lists in
            let pairs = lists.members.compactMap { list in list.value.stringValue.map { (list.key, $0) } }
            return Dictionary(pairs) { $1 }
        }
    }
}

/// Elements of a list that have no usable id: they make the list incomplete, and the others count.
///
/// The first few are kept by their positions, for a report; the others are counted.
public struct UnusableElements: Sendable, Hashable {
    /// How many there are.
    public private(set) var count = 0
    /// The first of them, each in a few words.
    private var named: [String] = []

    private static let most = 5

    public init() {}

    public var isEmpty: Bool { count == 0 }

    /// Notes an element.
    ///
    /// - Parameter place: where it is, counted from 1: `element 2`, `element 2 of page 3`, `line 2`.
    public mutating func note(_ element: JSONValue, at place: @autoclosure () -> String) {
        count += 1
        guard named.count < Self.most else { return }
        named.append("\(place()) is \(Self.word(for: element))")
    }

    /// `element 2 is null, element 7 is an empty string`; of more than five the number of the others.
    public var text: String {
        let others = count - named.count
        return (named + (others > 0 ? ["and \(others) more"] : [])).joined(separator: ", ")
    }

    /// What an element is that has no usable id, in a few words, without its text.
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
        case .string: "a text and no object"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    /// The ids of a list that is held as a whole, in order, and those of its elements that have none. Anything but a list or
    /// null counts as one such element.
    package func listedIDs() -> (ids: [String], unusable: UnusableElements) {
        var ids: [String] = [], unusable = UnusableElements()
        if arrayValue == nil, self != .null { unusable.note(self, at: "in place of a list there") }
        for (index, element) in (arrayValue ?? []).enumerated() {
            if let id = try? ListEntry.id(of: element) {
                ids.append(id)
            } else {
                unusable.note(element, at: "element \(index + 1)")
            }
        }
        return (ids, unusable)
    }
}
