import Catalogue
import Crypto

/// The trie of a digest: how hashes are made of what is under them.
///
/// It is over the SHA-256 of URLs, a hexadecimal digit at each step. A node that holds nothing has 32 zero bytes; one that
/// holds one URL is that leaf, wherever that is; any other has the SHA-256 of its 16 children's hashes, one after the other.
package enum DigestTrie {
    /// The hash of a node, and how many URLs it holds.
    package struct Summary: Sendable, Hashable {
        package var hash: [UInt8]
        package var count: Int

        package init(hash: [UInt8], count: Int) {
            self.hash = hash
            self.count = count
        }

        package static let empty = Summary(hash: DigestTrie.zero, count: 0)
    }

    /// Bytes of a hash.
    static let hashSize = 32
    /// The hash of a node that holds nothing.
    package static let zero = [UInt8](repeating: 0, count: hashSize)
    /// The most that a node answers as leaves.
    package static let leafLimit = 16

    /// The hash of a node of two URLs or more.
    package static func hash(of children: [Summary]) -> [UInt8] {
        var hasher = SHA256()
        for child in children { hasher.update(data: child.hash) }
        return Array(hasher.finalize())
    }

    /// The node of these children, under which there are two URLs or more.
    static func summary(of children: [Summary]) -> Summary {
        Summary(hash: hash(of: children), count: children.reduce(0) { $0 + $1.count })
    }

    /// The node under a prefix, of leaves in any order; others are left out.
    package static func summary(of leaves: some Sequence<DigestLeaf>, under prefix: DigestPrefix) -> Summary {
        summary(of: leaves.map { ($0.key, $0) }.filter { prefix.leads(to: $0.0) }, depth: prefix.depth)
    }

    /// The node at a depth that holds all of these leaves, whose keys agree in the digits before it.
    private static func summary(of leaves: [(key: [UInt8], leaf: DigestLeaf)], depth: Int) -> Summary {
        guard let first = leaves.first else { return .empty }
        guard leaves.count > 1, depth < DigestPrefix.maximalLength else {
            return Summary(hash: first.leaf.hash, count: leaves.count)
        }
        let parts = Dictionary(grouping: leaves) { DigestPrefix.digit(depth, of: $0.key) }
        return summary(of: (0..<16).map { summary(of: parts[$0] ?? [], depth: depth + 1) })
    }
}

/// A node of a stored digest.
package struct DigestNode: Sendable {
    package let prefix: DigestPrefix
    package let summary: DigestTrie.Summary
    package let content: Content

    package enum Content: Sendable {
        /// Of a node that holds more than ``DigestTrie/leafLimit``: from the digit 0 to f.
        case children([DigestTrie.Summary])
        case leaves([DigestLeaf])
    }
}

/// A canonical URL of a catalogue, relative to the base, and the ETag of what it stands for.
package typealias DigestLeaf = DigestAnswer.Leaf

extension DigestLeaf {
    /// Where it is in the trie.
    package var key: [UInt8] { Self.key(of: url) }

    static func key(of url: String) -> [UInt8] { Array(SHA256.hash(data: Array(url.utf8))) }

    /// SHA-256 of the URL, a NUL byte and the ETag.
    package var hash: [UInt8] { Array(SHA256.hash(data: Array("\(url)\0\(etag)".utf8))) }

    /// The first 64 bits of a key as a number that SQLite sorts as the key's bytes are.
    static func order(of key: [UInt8]) -> Int64 { order(key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }) }

    static func order(_ first: UInt64) -> Int64 { Int64(bitPattern: first ^ 1 << 63) }
}

/// The hexadecimal digits that lead to a node of a digest, from its root.
package struct DigestPrefix: Sendable, Hashable {
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

    /// In lower case.
    package var text: String {
        String(decoding: digits.map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }, as: UTF8.self)
    }

    package var depth: Int { digits.count }

    /// - Parameter digit: 0 to 15.
    package func child(_ digit: Int) -> DigestPrefix { DigestPrefix(digits: digits + [UInt8(digit)]) }

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
