import Catalogue

/// Finds a key in an answer that repeats it.
///
/// Each character may be escaped for itself, in any of the ways that answers use: percent-encoded, also several times; as a JSON
/// escape; as a character reference of HTML; a space as `+`. A server that encodes only some characters, or with lower-case digits,
/// repeats the key as well.
struct EchoedKey: Sendable {
    private let key: [UInt8]

    /// - Parameter key: the key, in ASCII and not empty.
    init(_ key: String) {
        self.key = Array(key.utf8)
    }

    /// The most times that a percent sign is itself percent-encoded: `%252F` is once.
    static let maximumNesting = 3

    /// Whether the text is the key and nothing else.
    func isWhole(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { end(in: $0, from: 0) == bytes.count }
    }

    /// The places of the key, in order. They don't overlap.
    func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        bytes.withUnsafeBufferPointer { bytes in
            var ranges: [Range<Int>] = [], index = 0
            while index < bytes.count {
                if mayBegin(in: bytes, at: index), let end = end(in: bytes, from: index) {
                    ranges.append(index..<end)
                    index = end
                } else {
                    // The second backslash of a pair begins no escape: without it, the first one would escape something else.
                    let isPair = bytes[index] == .backslash && bytes[at: index + 1] == .backslash
                    index += isPair ? 2 : 1
                }
            }
            return ranges
        }
    }

    /// Whether the first two characters may be those of the key, which is fast to see in a large answer.
    private func mayBegin(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        func may(_ byte: UInt8?, _ character: UInt8) -> Bool { byte == character || byte?.isEscaping == true }
        guard may(bytes[at: index], key[0]) else { return false }
        return key.count == 1 || bytes[index].isEscaping || may(bytes[at: index + 1], key[1])
    }

    /// The end of the longest occurrence that begins at an index; `nil` if none does.
    private func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var ends: Set = [start]
        for byte in key {
            ends = ends.reduce(into: []) { $0.formUnion(Self.ends(of: byte, in: bytes, from: $1)) }
            if ends.isEmpty { return nil }
        }
        return ends.max()
    }

    /// Where a character can end that begins at an index. There are several: `%25` is a percent sign, and begins with one.
    private static func ends(
        of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int, nesting: Int = 0
    ) -> Set<Int> {
        var ends = literalEnds(of: byte, in: bytes, from: start)
        if byte == UInt8(ascii: " ") {
            ends.formUnion(literalEnds(of: UInt8(ascii: "+"), in: bytes, from: start))
        }
        for end in literalEnds(of: UInt8(ascii: "&"), in: bytes, from: start) {
            if let end = referenceEnd(of: byte, in: bytes, from: end) { ends.insert(end) }
        }
        guard nesting <= maximumNesting, bytes[at: start]?.isEscaping == true else { return ends }
        for end in Self.ends(of: .percent, in: bytes, from: start, nesting: nesting + 1)
        where hexadecimal(bytes, end..<end + 2) == Int(byte) {
            ends.insert(end + 2)
        }
        return ends
    }

    /// The ends of a character as it is, and as an escape of JSON.
    private static func literalEnds(
        of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Set<Int> {
        guard let first = bytes[at: start] else { return [] }
        var ends: Set<Int> = first == byte ? [start + 1] : []
        guard first == .backslash else { return ends }
        let isEscaped = [.backslash, UInt8(ascii: "/"), UInt8(ascii: "\"")].contains(byte)
        if isEscaped, bytes[at: start + 1] == byte { ends.insert(start + 2) }
        if bytes[at: start + 1] == UInt8(ascii: "u"),
            hexadecimal(bytes, start + 2..<start + 6) == Int(byte)
        {
            ends.insert(start + 6)
        }
        return ends
    }

    /// The end of a character reference of HTML, whose `&` ends at an index.
    private static func referenceEnd(
        of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        // The longest one is that of a number with leading zeros.
        guard
            let end = (start..<min(start + 10, bytes.count)).first(where: { bytes[$0] == UInt8(ascii: ";") })
        else { return nil }
        let name = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
        let value: Int? =
            if name.hasPrefix("#x") {
                Int(name.dropFirst(2), radix: 16)
            } else if name.hasPrefix("#") {
                Int(name.dropFirst())
            } else {
                named[name].map { Int($0) }
            }
        return value == Int(byte) ? end + 1 : nil
    }

    /// The named references that programs write for characters of ASCII.
    private static let named: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"),
        "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"),
    ]

    private static func hexadecimal(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
        guard range.upperBound <= bytes.count else { return nil }
        var value = 0
        for index in range {
            guard let digit = bytes[index].hexDigitValue else { return nil }
            value = value << 4 | Int(digit)
        }
        return value
    }
}

extension UInt8 {
    fileprivate static let percent = UInt8(ascii: "%")
    fileprivate static let backslash = UInt8(ascii: "\\")

    /// Whether a character may be written as more than one that begin with this one, or with `+`.
    fileprivate var isEscaping: Bool {
        switch self {
        case .percent, .backslash, UInt8(ascii: "&"), UInt8(ascii: "+"): true
        default: false
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The byte at an index; `nil` behind the end.
    fileprivate subscript(at index: Int) -> UInt8? { index < count ? self[index] : nil }
}
