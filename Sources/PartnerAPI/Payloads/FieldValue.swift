/// The value of one scalar field, ready for a database column.
public enum FieldValue: Sendable, Hashable {
    case null
    case text(String)
    case integer(Int64)
    case real(Double)
    case bool(Bool)

    init(_ text: String?) { self = text.map(FieldValue.text) ?? .null }
    init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
    init(_ number: Double?) { self = number.map(FieldValue.real) ?? .null }
    init(_ flag: Bool?) { self = flag.map(FieldValue.bool) ?? .null }

    /// Something structured in one column: its canonical JSON.
    init(json texts: [String]?) {
        self = texts.map { .text(JSONValue.array($0.map(JSONValue.string)).canonicalText) } ?? .null
    }
}
