import Catalogue

/// The variations of an answer that differ from it in one leaf: a text, a number, a truth value, a null or an empty array.
struct AnswerVariations {
    /// A variation, and the path of the leaf that differs.
    struct Variation {
        /// Without positions in arrays: `$.constituents[].name`.
        let path: String
        let answer: JSONValue
    }

    private enum Step {
        case key(String)
        case index(Int)
    }

    /// The answer with at most ``elementLimit`` elements in each array. All variations differ from it.
    let sample: JSONValue
    private var leaves: [[Step]] = []
    /// Whether the answer has more leaves than ``leafLimit``; those after them are not varied.
    private(set) var isCut = false

    /// The number of an array's elements that are kept. One may lack what another has.
    static let elementLimit = 3
    /// The maximum number of leaves that are varied.
    static let leafLimit = 2_000

    init(of answer: JSONValue) {
        sample = Self.cut(answer)
        var path: [Step] = []
        collect(sample, &path)
    }

    /// Calls `take` with each variation, in the order of the answer, until it returns `false`.
    func forEach(_ take: (Variation) throws -> Bool) rethrows {
        for leaf in leaves {
            let path = Self.text(of: leaf)
            for value in Self.changes(of: Self.value(at: leaf[...], in: sample)) {
                let answer = Self.replacing(leaf[...], in: sample, with: value)
                guard try take(Variation(path: path, answer: answer)) else { return }
            }
        }
    }

    private static func cut(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.prefix(elementLimit).map(cut))
        case .object(let object): .object(JSONObject(object.members.map { ($0.key, cut($0.value)) }))
        case .null, .bool, .number, .string: value
        }
    }

    private mutating func collect(_ value: JSONValue, _ path: inout [Step]) {
        switch value {
        case .array(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                path.append(.index(index))
                collect(element, &path)
                path.removeLast()
            }
        case .object(let object):
            for member in object.members {
                path.append(.key(member.key))
                collect(member.value, &path)
                path.removeLast()
            }
        case .array, .null, .bool, .number, .string:
            if leaves.count < Self.leafLimit { leaves.append(path) } else { isCut = true }
        }
    }

    /// Other values for a leaf: a similar one, and none. A query may give the same for a similar value, as a year does for a
    /// longer text.
    private static func changes(of value: JSONValue) -> [JSONValue] {
        switch value {
        case .null: ["x7"]
        case .bool(let value): [.bool(!value), .null]
        case .number(let number):
            [
                number.intValue.flatMap { $0 < .max ? .number(JSONNumber($0 + 1)) : nil }
                    ?? .string(number.lexeme + "7"), .null,
            ]
        case .string(let text): [.string(text + "7"), .null]
        case .array: [["x7"]]
        case .object: []
        }
    }

    private static func value(at path: ArraySlice<Step>, in value: JSONValue) -> JSONValue {
        guard let step = path.first else { return value }
        let inner: JSONValue? =
            switch step {
            case .key(let key): value.objectValue?[key]
            case .index(let index): value.arrayValue?[index]
            }
        return inner.map { Self.value(at: path.dropFirst(), in: $0) } ?? .null
    }

    private static func replacing(
        _ path: ArraySlice<Step>, in value: JSONValue, with leaf: JSONValue
    ) -> JSONValue {
        switch (path.first, value) {
        case (.key(let key)?, .object(var object)):
            object[key] = object[key].map { replacing(path.dropFirst(), in: $0, with: leaf) }
            return .object(object)
        case (.index(let index)?, .array(var elements)):
            elements[index] = replacing(path.dropFirst(), in: elements[index], with: leaf)
            return .array(elements)
        default: return leaf
        }
    }

    private static func text(of path: [Step]) -> String {
        path.reduce(into: "$") { text, step in
            switch step {
            case .index: text += "[]"
            case .key(let key):
                let isPlain = !key.isEmpty && key.utf8.allSatisfy(isOfLabel)
                text += isPlain ? ".\(key)" : ".\(JSONValue.string(key).canonicalText)"
            }
        }
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
