import Catalogue

/// The hexadecimal digits that lead to a node of a digest, from its root.
package struct DigestPrefix: Sendable, Hashable, Comparable {
    /// From 0 to 15 each, at most 64.
    package let digits: [UInt8]

    package static let root = DigestPrefix(digits: [])
    package static let maximalLength = 64

    private init(digits: [UInt8]) { self.digits = digits }

    /// Reads digits in either case; `nil` for anything else, and for more than 64.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximalLength else { return nil }
        digits = text.utf8.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count else { return nil }
    }

    /// The first digits of a key.
    init(of key: [UInt8], depth: Int) { digits = (0..<depth).map { Self.digit($0, of: key) } }

    /// In lower case.
    package var text: String {
        String(decoding: digits.map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }, as: UTF8.self)
    }

    package var depth: Int { digits.count }

    /// - Parameter digit: 0 to 15.
    package func child(_ digit: Int) -> DigestPrefix { DigestPrefix(digits: digits + [UInt8(digit)]) }

    package static func < (left: DigestPrefix, right: DigestPrefix) -> Bool {
        left.digits.lexicographicallyPrecedes(right.digits)
    }

    /// Whether the node is on the way to that key.
    package func leads(to key: [UInt8]) -> Bool {
        digits.indices.allSatisfy { Self.digit($0, of: key) == digits[$0] }
    }

    /// One of a key's 64 hexadecimal digits, 0 to 15.
    static func digit(_ index: Int, of key: [UInt8]) -> UInt8 {
        index & 1 == 0 ? key[index >> 1] >> 4 : key[index >> 1] & 15
    }

    /// The first 64 bits of the keys under it, from and to, as ``DigestLeaf/order`` has them.
    var range: ClosedRange<Int64> {
        var first: UInt64 = 0
        for (index, digit) in digits.prefix(16).enumerated() { first |= UInt64(digit) << (60 - 4 * index) }
        let rest = digits.count >= 16 ? 0 : UInt64.max >> (4 * digits.count)
        return DigestLeaf.order(first)...DigestLeaf.order(first | rest)
    }
}
