import Catalogue
import Crypto

/// Computes the hashes of a digest's trie.
///
/// The keys of the trie are the SHA-256 of URLs, with one hexadecimal digit per level. The hash of a node is:
///
/// - 32 zero bytes, if it has no leaf;
/// - the hash of its leaf, if it has one, at any depth;
/// - otherwise the SHA-256 of its 16 children's hashes, concatenated in order.
package enum DigestTrie {
    /// The hash of a node and the number of its leaves.
    package struct Summary: Sendable, Hashable {
        package var hash: [UInt8]
        package var count: Int

        package init(hash: [UInt8], count: Int) {
            self.hash = hash
            self.count = count
        }

        package static let empty = Summary(hash: DigestTrie.zero, count: 0)
    }

    /// The size of a hash in bytes.
    static let hashSize = 32
    /// The hash of a node without leaves.
    package static let zero = [UInt8](repeating: 0, count: hashSize)
    /// The maximum number of leaves with which a node is answered. A node with more leaves is answered with its children.
    package static let leafLimit = 16

    /// The hash of a node with two leaves or more.
    package static func hash(of children: [Summary]) -> [UInt8] {
        var hasher = SHA256()
        for child in children { hasher.update(data: child.hash) }
        return Array(hasher.finalize())
    }

    /// The summary of a node with two leaves or more, from its children.
    static func summary(of children: [Summary]) -> Summary {
        Summary(hash: hash(of: children), count: children.reduce(0) { $0 + $1.count })
    }

    /// The summary of the node with a prefix. The leaves may be in any order; leaves without that prefix are ignored.
    package static func summary(of leaves: some Sequence<DigestLeaf>, under prefix: DigestPrefix) -> Summary {
        summary(of: leaves.map { ($0.key, $0) }.filter { prefix.leads(to: $0.0) }, depth: prefix.depth)
    }

    /// The summary of the node at a depth, from all its leaves. Their keys have the same first `depth` digits.
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
        /// The children for the digits 0 to f, if the node has more than ``DigestTrie/leafLimit`` leaves.
        case children([DigestTrie.Summary])
        /// All leaves under the node, sorted by key.
        case leaves([DigestLeaf])
    }
}

/// A canonical URL, relative to the base, and its ETag.
package typealias DigestLeaf = DigestAnswer.Leaf

extension DigestLeaf {
    /// The position in the trie: the SHA-256 of the URL.
    package var key: [UInt8] { Self.key(of: url) }

    static func key(of url: String) -> [UInt8] { Array(SHA256.hash(data: Array(url.utf8))) }

    /// The SHA-256 of the URL, a NUL byte and the ETag.
    package var hash: [UInt8] { Array(SHA256.hash(data: Array("\(url)\0\(etag)".utf8))) }

    /// The first 64 bits of a key as a signed integer, which SQLite sorts in the order of the key's bytes.
    static func order(of key: [UInt8]) -> Int64 { order(key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }) }

    static func order(_ first: UInt64) -> Int64 { Int64(bitPattern: first ^ 1 << 63) }
}

/// The path to a node of a digest: hexadecimal digits, starting at the root.
package struct DigestPrefix: Sendable, Hashable {
    /// At most 64 digits, each from 0 to 15.
    package let digits: [UInt8]

    package static let root = DigestPrefix(digits: [])
    package static let maximalLength = 64

    private init(digits: [UInt8]) { self.digits = digits }

    /// Parses digits in upper or lower case; `nil` for other characters, and for more than 64 digits.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximalLength else { return nil }
        digits = text.utf8.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count else { return nil }
    }

    /// The digits in lower case.
    package var text: String {
        String(decoding: digits.map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }, as: UTF8.self)
    }

    package var depth: Int { digits.count }

    /// - Parameter digit: 0 to 15.
    package func child(_ digit: Int) -> DigestPrefix { DigestPrefix(digits: digits + [UInt8(digit)]) }

    /// Whether a key begins with these digits.
    package func leads(to key: [UInt8]) -> Bool {
        digits.indices.allSatisfy { Self.digit($0, of: key) == digits[$0] }
    }

    /// The hexadecimal digit of a key at an index from 0 to 63.
    static func digit(_ index: Int, of key: [UInt8]) -> UInt8 {
        index & 1 == 0 ? key[index >> 1] >> 4 : key[index >> 1] & 15
    }

    /// The range of the first 64 bits of keys with this prefix, as in ``DigestLeaf/order(of:)``.
    var range: ClosedRange<Int64> {
        var first: UInt64 = 0
        for (index, digit) in digits.prefix(16).enumerated() { first |= UInt64(digit) << (60 - 4 * index) }
        let rest = digits.count >= 16 ? 0 : UInt64.max >> (4 * digits.count)
        return DigestLeaf.order(first)...DigestLeaf.order(first | rest)
    }
}
