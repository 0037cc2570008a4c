/// Strings, their escapes, and the check of their UTF-8.
extension JSONParser {
    /// A string at its opening quotation mark.
    mutating func string() throws(JSONError) -> String {
        p += 1
        let first = p
        p = JSONText.plainRun(from: p, to: end)
        guard p < end else { throw truncated() }
        guard p.pointee == UInt8(ascii: "\"") else { return try escapedString(from: first) }
        p += 1
        return try validated(UnsafeBufferPointer(start: first, count: p - 1 - first), from: first)
    }

    /// A string with escapes: runs of plain bytes and what the escapes stand for.
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
                throw error(.syntax, "A control character stands unescaped in a string.")
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
            // Canonical for a few control characters alone, which are not worth telling apart here.
            isCanonical = false
            text.append(contentsOf: String(Character(try unicodeEscape())).utf8)
        default:
            guard let short = JSONText.escapes.first(where: { $0.letter == byte }) else {
                p -= 1
                throw error(.syntax, "There is no such escape in JSON.")
            }
            text.append(short.byte)
        }
    }

    /// The scalar of `\uXXXX`, or of two of them that make a surrogate pair; a lone surrogate is U+FFFD.
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
                throw error(.syntax, "An escape lacks its four hexadecimal digits.")
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

/// Why bytes could not be read as JSON, or a list as a list.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing is wrong; callers decide by this, never by the message.
    public enum Code: Sendable, Hashable {
        /// The bytes do not follow the grammar of RFC 8259.
        case syntax
        /// The bytes end in the middle of a value.
        case truncated
        /// A string is not valid UTF-8.
        case invalidUTF8
        /// Something follows the value.
        case trailingGarbage
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep
        /// A list was expected, and something else came: `null`, an object, a page of HTML, nothing.
        case notAnArray
    }

    public let code: Code
    /// Where in the input, in bytes from its start.
    public let offset: Int
    /// One sentence without any of the input's text.
    public let message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    /// The sentence, with the place in it: `The JSON ends in the middle of a value (at byte 21).`
    public var description: String {
        message.hasSuffix(".")
            ? "\(message.dropLast()) (at byte \(offset))." : "\(message) (at byte \(offset))"
    }
}
