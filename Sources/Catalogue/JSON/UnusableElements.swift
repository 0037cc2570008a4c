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
