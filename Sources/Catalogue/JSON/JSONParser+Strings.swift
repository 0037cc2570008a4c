extension JSONParser {
    /// Reads a string. `p` is at its opening quotation mark.
    mutating func string() throws(JSONError) -> String {
        p += 1
        let first = p
        p = JSONText.plainRun(from: p, to: end)
        guard p < end else { throw truncated() }
        guard p.pointee == UInt8(ascii: "\"") else { return try escapedString(from: first) }
        p += 1
        return try validated(UnsafeBufferPointer(start: first, count: p - 1 - first), from: first)
    }

    /// Reads a string with escapes. `p` is at the first escape.
    private mutating func escapedString(from first: UnsafePointer<UInt8>) throws(JSONError) -> String {
        var text = Array(UnsafeBufferPointer(start: first, count: p - first))
        while true {
            guard p < end else { throw truncated() }
            switch p.pointee {
            case UInt8(ascii: "\""):
                p += 1
                return try text.withUnsafeBufferPointer { bytes throws(JSONError) in
                    try validated(bytes, from: first)
                }
            case UInt8(ascii: "\\"):
                p += 1
                try escape(into: &text)
            default:
                throw error(.syntax, "A string contains an unescaped control character.")
            }
            let run = p
            p = JSONText.plainRun(from: p, to: end)
            text.append(contentsOf: UnsafeBufferPointer(start: run, count: p - run))
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard p < end else { throw truncated() }
        let byte = p.pointee
        p += 1
        switch byte {
        case UInt8(ascii: "/"):
            isCanonical = false
            text.append(byte)
        case UInt8(ascii: "u"):
            // Canonical only for a few control characters, which are too rare to distinguish.
            isCanonical = false
            text.append(contentsOf: String(Character(try unicodeEscape())).utf8)
        default:
            guard let short = JSONText.escapes.first(where: { $0.letter == byte }) else {
                p -= 1
                throw error(.syntax, "A string contains an escape that JSON doesn't have.")
            }
            text.append(short.byte)
        }
    }

    /// Reads the rest of `\uXXXX`, or of two that form a surrogate pair. A lone surrogate reads as U+FFFD.
    private mutating func unicodeEscape() throws(JSONError) -> UnicodeScalar {
        let unit = try hexUnit()
        if let scalar = UnicodeScalar(unit) { return scalar }
        guard unit < 0xDC00, end - p >= 2, p[0] == UInt8(ascii: "\\"), p[1] == UInt8(ascii: "u") else {
            return "\u{FFFD}"
        }
        let second = p
        p += 2
        let low = try hexUnit()
        guard (0xDC00...0xDFFF).contains(low) else {
            p = second
            return "\u{FFFD}"
        }
        return UnicodeScalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard p < end else { throw truncated() }
            guard let digit = p.pointee.hexDigitValue else {
                throw error(.syntax, "A \\u escape doesn't have four hexadecimal digits.")
            }
            unit = unit << 4 | UInt32(digit)
            p += 1
        }
        return unit
    }

    private func validated(
        _ bytes: UnsafeBufferPointer<UInt8>, from first: UnsafePointer<UInt8>
    ) throws(JSONError) -> String {
        guard let text = UTF8Order.text(bytes) else {
            throw JSONError(.invalidUTF8, at: first - start, "A string in the JSON is not valid UTF-8.")
        }
        return text
    }
}

/// The error for bytes that are not valid JSON, or not a JSON array where a list is expected.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of error. Callers decide by it, never by the message.
    public enum Code: Sendable, Hashable {
        /// The bytes do not follow the grammar of RFC 8259.
        case syntax
        /// The bytes end in the middle of a value.
        case truncated
        /// A string is not valid UTF-8.
        case invalidUTF8
        /// There is text after the value.
        case trailingGarbage
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep
        /// The input is not an array where a list is expected: `null`, an object, an HTML page, or empty.
        case notAnArray
    }

    /// The type of error.
    public let code: Code
    /// The position in the input, in bytes from its start.
    public let offset: Int
    /// One sentence. It contains no text of the input.
    public let message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    /// The message with the position: `The JSON ends in the middle of a value (at byte 21).`
    public var description: String {
        message.hasSuffix(".")
            ? "\(message.dropLast()) (at byte \(offset))." : "\(message) (at byte \(offset))"
    }
}
