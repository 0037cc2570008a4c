/// The value of one scalar field, ready for a database column.
public enum FieldValue: Sendable, Hashable {
    case null
    case text(String)
    case integer(Int64)
    case real(Double)

    init(_ text: String?) { if let text { self = .text(text) } else { self = .null } }
    init(_ number: Int?) { if let number { self = .integer(Int64(number)) } else { self = .null } }
    init(_ number: Double?) { if let number { self = .real(number) } else { self = .null } }
    init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }

    /// Something structured in one column: its canonical JSON.
    init(json texts: [String]?) {
        self = texts.map { .text(JSONValue.array($0.map(JSONValue.string)).canonicalText) } ?? .null
    }
}
