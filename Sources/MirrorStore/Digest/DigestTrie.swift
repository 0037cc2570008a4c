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

    /// A leaf as the trie sees it.
    package struct Entry: Sendable {
        package let key: [UInt8]
        package let hash: [UInt8]

        package init(_ leaf: DigestLeaf) {
            key = leaf.key
            hash = leaf.hash
        }
    }

    /// The hash of a node of two URLs or more.
    package static func hash(of children: [Summary]) -> [UInt8] {
        var hasher = SHA256()
        for child in children { hasher.update(data: child.hash) }
        return Array(hasher.finalize())
    }

    /// The node at a depth that holds all of `entries`.
    ///
    /// - Parameters:
    ///   - entries: in the order of their keys, which agree in the first `depth` digits and differ.
    ///   - isLarge: told of each node, itself included, that holds more than ``leafLimit``: its first entry, its depth, its
    ///     children.
    package static func summary(
        of entries: ArraySlice<Entry>, depth: Int,
        isLarge: (Entry, Int, [Summary]) throws -> Void
    ) rethrows -> Summary {
        guard let first = entries.first else { return .empty }
        guard entries.count > 1, depth < DigestPrefix.maximalLength else {
            return Summary(hash: first.hash, count: entries.count)
        }
        var children: [Summary] = []
        children.reserveCapacity(16)
        var rest = entries
        for digit in 0..<UInt8(16) {
            let part = rest.prefix { DigestPrefix.digit(depth, of: $0.key) == digit }
            rest = rest[part.endIndex...]
            children.append(try summary(of: part, depth: depth + 1, isLarge: isLarge))
        }
        if entries.count > leafLimit { try isLarge(first, depth, children) }
        return Summary(hash: hash(of: children), count: entries.count)
    }

    /// The node under a prefix, of leaves in any order; others are left out.
    package static func summary(of leaves: some Sequence<DigestLeaf>, under prefix: DigestPrefix) -> Summary {
        let entries = leaves.map(Entry.init).filter { prefix.leads(to: $0.key) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return summary(of: entries[...], depth: prefix.depth, isLarge: { _, _, _ in })
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
