import Catalogue

/// The header fields of a request or response, in the order in which they were sent.
///
/// Names compare without regard to case (RFC 9110, section 5.1); a name may occur several times.
public struct HeaderFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    public private(set) var lines: [Line]

    /// Printed or dumped, it doesn't show the value of a field that carries credentials.
    public struct Line: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        public let name: String
        public let value: String

        public var description: String {
            "\(name): \(Redaction.isSecret(name) ? "…" : value)"
        }

        public var customMirror: Mirror { Mirror(self, children: [(label: "line", value: description)]) }
    }

    public init() { lines = [] }

    public init(_ pairs: some Sequence<(String, String)>) {
        lines = pairs.map { Line(name: $0.0, value: $0.1) }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// The values of every field of that name, joined by a comma as RFC 9110, section 5.2 has it; `nil` without one.
    ///
    /// Setting replaces all fields of the name; setting `nil` removes them.
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

    /// The values of that name, one for each line that was sent.
    public func values(of name: String) -> [String] {
        lines.compactMap { Self.same($0.name, name) ? $0.value : nil }
    }

    /// The value of the first field of that name; `nil` without one.
    package func firstValue(of name: String) -> String? { lines.first { Self.same($0.name, name) }?.value }

    /// Whether there is a field of that name.
    package func has(_ name: String) -> Bool { lines.contains { Self.same($0.name, name) } }

    public mutating func append(_ name: String, _ value: String) {
        lines.append(Line(name: name, value: value))
    }

    /// Joins more of a value that was sent on several lines to that of the last line; `false` without one.
    mutating func extendLast(by more: String) -> Bool {
        guard let last = lines.popLast() else { return false }
        append(last.name, last.value.isEmpty ? more : last.value + " " + more)
        return true
    }

    /// Whether two field names are the same: ASCII letters without regard to case.
    package static func same(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count
            && zip(a.utf8, b.utf8).allSatisfy { $0 == $1 || $0.lowered == $1.lowered }
    }
}

/// Reads header fields whose value is a list (RFC 9110, section 5.6.1).
enum FieldList {
    /// The members of every line of a field, without the white space around them; empty members are left out.
    /// A comma within a quoted string doesn't separate.
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

    /// A text with its ASCII letters in lower case.
    static func lowered(_ text: String) -> String {
        String(decoding: text.utf8.map(\.lowered), as: UTF8.self)
    }

    /// Replaces line breaks and NUL by spaces (RFC 9110, section 5.5), so that lines can be joined and stored as text.
    static func onOneLine(_ text: String) -> String {
        // Byte by byte: a line break with a combining mark behind it is another character.
        String(decoding: text.utf8.map { $0 == 0x0A || $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }

    /// A non-negative number of seconds (RFC 9111, section 1.2.2), at most 2³¹; `nil` for anything but digits.
    static func deltaSeconds(_ bytes: some Collection<UInt8>) -> Double? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Double(bytes.reduce(0) { min($0 * 10 + Int($1 - 0x30), 1 << 31) })
    }
}
