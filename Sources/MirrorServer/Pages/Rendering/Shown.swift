import Mustache

/// What a template shows: values by name.
///
/// Templates read it by name, without reflection. An empty value is false, so it is only shown inside a section of its own:
/// `{{#date}}<p>{{.}}</p>{{/date}}`.
struct Shown: MustacheParent, ExpressibleByDictionaryLiteral, Sendable {
    /// A value that a template can show, or by which it can decide.
    enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
        case string(String)
        case flag(Bool)
        case one(Shown)
        case many([Shown])

        init(stringLiteral text: String) { self = .string(text) }
        init(booleanLiteral flag: Bool) { self = .flag(flag) }

        /// A text; false if there is none, or an empty one.
        static func text(_ text: String?) -> Value {
            text.flatMap { $0.isEmpty ? nil : .string($0) } ?? .flag(false)
        }

        /// A number without separators, for attributes.
        static func number(_ number: Int) -> Value { .string(String(number)) }

        /// A part; false if there is none.
        static func part(_ part: Shown?) -> Value { part.map(Value.one) ?? .flag(false) }

        /// A list of texts, each of which a template shows as `{{text}}`.
        static func texts(_ texts: [String]) -> Value { .many(texts.map { ["text": .string($0)] }) }
    }

    private var values: [String: Value]

    init(dictionaryLiteral elements: (String, Value)...) {
        values = Dictionary(elements, uniquingKeysWith: { _, last in last })
    }

    subscript(name: String) -> Value? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// The values of both. Those of `other` replace earlier ones with the same names.
    func with(_ other: Shown) -> Shown {
        var all = self
        all.values.merge(other.values) { _, last in last }
        return all
    }

    func child(named name: String) -> Any? {
        switch values[name] {
        case .string(let text): text
        case .flag(let flag): flag
        case .one(let part): part
        case .many(let parts): parts
        case nil: nil
        }
    }
}
