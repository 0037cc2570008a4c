import Catalogue

/// A set of the bytes that need no percent-encoding in a part of a URL.
struct URLCharacters {
    /// 256 elements, indexed by byte.
    private let isAllowed: [Bool]

    init(_ characters: String) {
        let bytes = Set(characters.utf8)
        isAllowed = (0...255).map { bytes.contains($0) }
    }

    func contains(_ byte: UInt8) -> Bool { isAllowed[Int(byte)] }

    func containsAll(of text: String) -> Bool {
        text.utf8.allSatisfy(contains)
    }

    /// Whether the text is a valid method or header field name (RFC 9110, section 5.6.2).
    static func isToken(_ text: String) -> Bool { !text.isEmpty && token.containsAll(of: text) }

    private static let token = URLCharacters(letters + "!#$%&'*+-.^_`|~")
    /// Characters of a host name for DNS, and of the `error` words of servers.
    static let name = URLCharacters(letters + "-._")
    static let unreserved = URLCharacters(letters + "-._~")
    static let host = URLCharacters(hostCharacters)
    /// An IP address in brackets.
    static let literal = URLCharacters(hostCharacters + "[]:")
    static let segment = URLCharacters(hostCharacters + ":@")
    static let segmentWithoutColon = URLCharacters(hostCharacters + "@")
    static let query = URLCharacters(hostCharacters + ":@/?")

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let hostCharacters = letters + "-._~!$&'()*+,;="
}

extension UInt8 {
    /// An ASCII letter in lower case; any other byte as it is.
    var lowered: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}

/// Normalisation of percent-encoding (RFC 3986, sections 2 and 6.2.2).
extension [UInt8] {
    /// Appends `source` with normalised percent-encoding.
    ///
    /// Hexadecimal digits are written in upper case, unreserved characters are decoded, and bytes that aren't in
    /// `allowed` are encoded, as is a `%` without two hexadecimal digits.
    mutating func append(
        normalising source: UnsafeBufferPointer<UInt8>.SubSequence, allowed: URLCharacters,
        lower: Bool = false
    ) {
        var index = source.startIndex
        while index < source.endIndex {
            let byte = source[index]
            index += 1
            if byte == 0x25, let value = Self.escaped(source, at: index) {
                index += 2
                if URLCharacters.unreserved.contains(value) {
                    append(lower ? value.lowered : value)
                } else {
                    PercentEncoding.escape(value, into: &self)
                }
            } else if allowed.contains(byte) {
                append(lower ? byte.lowered : byte)
            } else {
                PercentEncoding.escape(byte, into: &self)
            }
        }
    }

    /// The value of the two hexadecimal digits at `index`; `nil` if there are none.
    private static func escaped(_ source: UnsafeBufferPointer<UInt8>.SubSequence, at index: Int) -> UInt8? {
        guard index + 1 < source.endIndex, let high = source[index].hexDigitValue,
            let low = source[index + 1].hexDigitValue
        else { return nil }
        return high << 4 | low
    }
}

/// The byte ranges of a URL's or relative reference's parts (RFC 3986, appendix B), without the fragment.
struct URLParts {
    let scheme: Range<Int>?
    let authority: Range<Int>?
    let path: Range<Int>
    let query: Range<Int>?

    init(_ text: UnsafeBufferPointer<UInt8>) {
        let end = text.firstIndex(of: 0x23) ?? text.endIndex
        let question = text[..<end].firstIndex(of: 0x3F)
        query = question.map { $0 + 1..<end }
        let pathEnd = question ?? end
        var start = 0
        if let colon = Self.endOfScheme(text[..<pathEnd]) {
            scheme = 0..<colon
            start = colon + 1
        } else {
            scheme = nil
        }
        if text[start..<pathEnd].starts(with: "//".utf8) {
            let slash = text[(start + 2)..<pathEnd].firstIndex(of: 0x2F) ?? pathEnd
            authority = start + 2..<slash
            start = slash
        } else {
            authority = nil
        }
        path = start..<pathEnd
    }

    private static func endOfScheme(_ text: UnsafeBufferPointer<UInt8>.SubSequence) -> Int? {
        guard let first = text.first, (0x61...0x7A).contains(first.lowered) else { return nil }
        for index in text.indices {
            switch text[index].lowered {
            case 0x61...0x7A, 0x30...0x39, 0x2B, 0x2D, 0x2E: continue
            case 0x3A: return index
            default: return nil
            }
        }
        return nil
    }
}
