import Catalogue

/// Writes parts of a URL in their one canonical spelling, byte by byte (RFC 3986, sections 2 and 6.2.2).
struct URLBytes {
    private(set) var bytes: [UInt8] = []

    var string: String { String(decoding: bytes, as: UTF8.self) }

    init(reservingCapacity capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Which bytes stand for themselves in a part of a URL.
    struct Allowed {
        /// One bit for each ASCII byte.
        private let low: UInt64, high: UInt64

        init(_ characters: StaticString) {
            var low: UInt64 = 0
            var high: UInt64 = 0
            characters.withUTF8Buffer {
                for byte in $0 {
                    if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
                }
            }
            (self.low, self.high) = (low, high)
        }

        func contains(_ byte: UInt8) -> Bool {
            byte < 64 ? low & (1 << UInt64(byte)) != 0 : byte < 128 && high & (1 << UInt64(byte - 64)) != 0
        }

        func containsAll(of text: String) -> Bool {
            var text = text
            return text.withUTF8 { bytes in
                for byte in bytes where !contains(byte) { return false }
                return true
            }
        }

        /// A method, or the name of a header field (RFC 9110, section 5.6.2).
        static let token = Allowed(
            "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        static let unreserved = Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        static let host = Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=")
        /// An IP address in brackets.
        static let literal = Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=[]:")
        static let segment = Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@")
        static let segmentWithoutColon = Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=@")
        static let query = Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?")
    }

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func append(raw source: some Sequence<UInt8>) {
        bytes.append(contentsOf: source)
    }

    mutating func removeLast(to count: Int) {
        bytes.removeSubrange(count...)
    }

    /// Appends `source` with its percent-encoding normalised: hexadecimal digits in upper case, unreserved
    /// characters decoded, everything that may not stand there encoded (a stray `%` too).
    mutating func append(
        normalising source: UnsafeBufferPointer<UInt8>.SubSequence, allowed: Allowed, lower: Bool = false
    ) {
        var index = source.startIndex
        while index < source.endIndex {
            let byte = source[index]
            index += 1
            if byte == 0x25, let value = Self.escaped(source, at: index) {
                index += 2
                if Allowed.unreserved.contains(value) {
                    bytes.append(lower ? Self.lowered(value) : value)
                } else {
                    append(escaping: value)
                }
            } else if allowed.contains(byte) {
                bytes.append(lower ? Self.lowered(byte) : byte)
            } else {
                append(escaping: byte)
            }
        }
    }

    mutating func append(escaping byte: UInt8) { PercentEncoding.escape(byte, into: &bytes) }

    static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// The byte that two hexadecimal digits at `index` stand for.
    private static func escaped(_ source: UnsafeBufferPointer<UInt8>.SubSequence, at index: Int) -> UInt8? {
        guard index + 1 < source.endIndex, let high = source[index].hexDigitValue,
            let low = source[index + 1].hexDigitValue
        else { return nil }
        return high << 4 | low
    }
}
