import Catalogue
import Foundation

/// A position in a list, for addresses: the sort keys and the id of an artwork or name. Opaque to clients.
///
/// It stays valid if that object changes or is removed: the list continues at the same place in its order.
package struct PageKey: Sendable, Hashable {
    /// One sort key.
    enum Value: Sendable, Hashable {
        case text(String)
        case number(Int)

        /// The value before all others.
        static func least(isNumber: Bool) -> Value { isNumber ? .number(.min) : .text("") }

        var isLeast: Bool { self == .number(.min) || self == .text("") }
    }

    /// The order of the list.
    let order: String
    let values: [Value]

    init(_ order: String, _ values: [Value]) { (self.order, self.values) = (order, values) }

    /// The greatest length of a text, which is more than any address may have.
    private static let longest = 8_192

    /// The key as text: base64url without padding. The least values at the end are left out.
    package var text: String {
        let end = values.lastIndex { !$0.isLeast }.map { $0 + 1 } ?? 0
        let values = values.prefix(end).map { value -> JSONValue in
            switch value {
            case .text(let text): .string(text)
            case .number(let number): .number(JSONNumber(number))
            }
        }
        return Data(JSONValue.array([.string(order)] + values).canonicalBytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Reads a key. `nil` if the text isn't one of this order, so that a forged key is no error.
    ///
    /// - Parameters:
    ///   - order: the name of the order.
    ///   - areNumbers: for each sort key, whether it is a number.
    init?(_ text: String, order: String, areNumbers: [Bool]) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), let json = try? JSONValue(parsing: [UInt8](data)),
            let elements = json.arrayValue, 1...areNumbers.count + 1 ~= elements.count,
            elements[0].stringValue == order
        else { return nil }
        var values: [Value] = []
        for (element, isNumber) in zip(elements.dropFirst(), areNumbers) {
            if isNumber, let number = element.numberValue?.intValue {
                values.append(.number(number))
            } else if !isNumber, let text = element.stringValue, !text.utf8.contains(0) {
                values.append(.text(text))
            } else {
                return nil
            }
        }
        self.init(order, values + areNumbers.dropFirst(values.count).map(Value.least))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    // MARK: - Orders

    /// Reads a position in a list of artworks; `nil` if it isn't one in this order.
    package init?(_ text: String, in sort: ArtworkSort) {
        self.init(text, order: sort.rawValue, areNumbers: sort.keys.map { ArtworkSort.numbers.contains($0) })
    }

    /// Reads a position in a list of names of a kind; `nil` if it isn't one.
    package init?(_ text: String, namesOf kind: Kind) {
        self.init(text, order: kind.name, areNumbers: [false, false])
    }

    /// Reads a position among the artworks of a show, album, location or artist; `nil` if it isn't one.
    package init?(membersFrom text: String) {
        self.init(text, order: Self.members, areNumbers: [true, false])
    }

    static let members = "members"

    /// The position before the artworks with a letter, `A` to `Z`, in an order that has letters; `nil` otherwise.
    package static func before(letter: String, in sort: ArtworkSort) -> PageKey? {
        guard sort.letters != nil, let key = SortKey.folded(letter) else { return nil }
        return before(sort, first: .text(key))
    }

    /// The position before the artworks of a century, in the order of years.
    package static func before(century: Int) -> PageKey {
        before(.year, first: .number(century > 0 ? (century - 1) * 100 + 1 : century * 100))
    }

    /// The position before the names with a letter, `A` to `Z`, of a kind; `nil` if the letter has no key.
    package static func before(letter: String, namesOf kind: Kind) -> PageKey? {
        SortKey.folded(letter).map { PageKey(kind.name, [.text($0), .text("")]) }
    }

    /// The position after all artworks in an order.
    static func end(of sort: ArtworkSort) -> PageKey {
        end(of: sort.rawValue, areNumbers: sort.keys.map { ArtworkSort.numbers.contains($0) })
    }

    /// The position after everything in an order.
    static func end(of order: String, areNumbers: [Bool]) -> PageKey {
        let last = Value.text(ArtworkSort.untitled + ArtworkSort.untitled)
        return PageKey(order, areNumbers.map { $0 ? .number(.max) : last })
    }

    /// The position before all artworks whose most important key is at least this.
    private static func before(_ sort: ArtworkSort, first: Value) -> PageKey {
        PageKey(
            sort.rawValue,
            [first] + sort.keys.dropFirst().map { .least(isNumber: ArtworkSort.numbers.contains($0)) })
    }
}
