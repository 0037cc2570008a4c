import Catalogue

/// The header fields of a request or response, in the order in which they are sent.
///
/// Names are case-insensitive (RFC 9110, section 5.1). A name may occur several times.
public struct HeaderFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The fields in order.
    public private(set) var lines: [Line]

    /// One header field. Printing or dumping it hides the value of a field that may contain credentials.
    public struct Line: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The name as it was sent.
        public let name: String
        /// The value without surrounding white space.
        public let value: String

        /// `name: value`, with `…` for credentials.
        public var description: String {
            "\(name): \(Redaction.isSecret(name) ? "…" : value)"
        }

        /// Shows ``description`` only.
        public var customMirror: Mirror { Mirror(self, children: [(label: "line", value: description)]) }
    }

    /// Creates an empty list.
    public init() { lines = [] }

    /// Creates a list from names and values.
    public init(_ pairs: some Sequence<(String, String)>) {
        lines = pairs.map { Line(name: $0.0, value: $0.1) }
    }

    /// Creates a list from a literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// The values of all fields with this name, joined by commas (RFC 9110, section 5.2); `nil` if there are none.
    ///
    /// Setting a value replaces all fields with the name; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            let values = values(of: name)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        set {
            lines.removeAll { Self.same($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// The values of all fields with this name, one for each line.
    public func values(of name: String) -> [String] {
        lines.compactMap { Self.same($0.name, name) ? $0.value : nil }
    }

    /// The value of the first field with this name; `nil` if there is none.
    package func firstValue(of name: String) -> String? { lines.first { Self.same($0.name, name) }?.value }

    /// Whether there is a field with this name.
    package func has(_ name: String) -> Bool { lines.contains { Self.same($0.name, name) } }

    /// Adds a field at the end; existing fields with the name are kept.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Line(name: name, value: value))
    }

    /// Appends a folded line to the value of the last field; `false` if there is no field.
    mutating func extendLast(by more: String) -> Bool {
        guard let last = lines.popLast() else { return false }
        append(last.name, last.value.isEmpty ? more : last.value + " " + more)
        return true
    }

    /// Whether two field names are equal; ASCII letters are compared case-insensitively.
    package static func same(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count
            && zip(a.utf8, b.utf8).allSatisfy { $0 == $1 || $0.lowered == $1.lowered }
    }
}

/// Parses header fields whose value is a list (RFC 9110, section 5.6.1).
enum FieldList {
    /// The non-empty members of all lines of a field, without surrounding white space.
    ///
    /// A comma in a quoted string doesn't separate members.
    static func members(_ values: [String]) -> [String] {
        values.flatMap { value in
            var isQuoted = false, isEscaped = false
            let parts = value.utf8.split { byte in
                let wasEscaped = isEscaped
                isEscaped = isQuoted && !wasEscaped && byte == 0x5C
                if byte == 0x22, !wasEscaped { isQuoted.toggle() }
                return byte == 0x2C && !isQuoted
            }
            return parts.map(EntityTag.trimmed).filter { !$0.isEmpty }.map { String(Substring($0)) }
        }
    }

    /// The text with its ASCII letters in lower case.
    static func lowered(_ text: String) -> String {
        String(decoding: text.utf8.map(\.lowered), as: UTF8.self)
    }

    /// Replaces line breaks and NUL by spaces (RFC 9110, section 5.5), so that lines can be joined and stored as text.
    static func onOneLine(_ text: String) -> String {
        // Bytes are compared, because a line break followed by a combining mark is another Character.
        String(decoding: text.utf8.map { $0 == 0x0A || $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }

    /// A non-negative number of seconds (RFC 9111, section 1.2.2), at most 2³¹; `nil` for anything but digits.
    static func deltaSeconds(_ bytes: some Collection<UInt8>) -> Double? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Double(bytes.reduce(0) { min($0 * 10 + Int($1 - 0x30), 1 << 31) })
    }
}
