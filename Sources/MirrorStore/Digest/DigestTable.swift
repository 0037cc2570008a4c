import Foundation
import GRDB

/// The stored form of a digest: its leaves, ordered by key, and its inner nodes, each with the hashes of its children.
///
/// A node is stored only if it has more leaves than ``DigestTrie/leafLimit``. So a node is read as one row, and a changed leaf
/// changes one row per level between it and the root.
struct DigestTable {
    let db: Database
    let side: DigestSide

    // MARK: - Leaves

    /// Stores a leaf. Idempotent.
    ///
    /// - Parameter owner: the name of the object under which the leaf is; `nil` for an object's own leaf.
    /// - Returns: the first 64 bits of the leaf's key, for ``update(_:)``.
    func put(_ leaf: DigestLeaf, owner: String?) throws -> Int64 {
        let order = DigestLeaf.order(of: leaf.key)
        try db.run(
            """
            INSERT INTO digest_leaf (side, key, url, etag, owner) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (side, key, url) DO UPDATE SET etag = excluded.etag, owner = excluded.owner
            """, [side.rawValue, order, leaf.url, leaf.etag, owner])
        return order
    }

    /// Removes a leaf, if it exists.
    ///
    /// - Returns: the first 64 bits of the leaf's key, for ``update(_:)``.
    func remove(_ url: String) throws -> Int64 {
        let order = DigestLeaf.order(of: DigestLeaf.key(of: url))
        try db.run(
            "DELETE FROM digest_leaf WHERE side = ? AND key = ? AND url = ?", [side.rawValue, order, url])
        return order
    }

    func etag(of url: String) throws -> String? {
        let order = DigestLeaf.order(of: DigestLeaf.key(of: url))
        return try db.text(
            "SELECT etag FROM digest_leaf WHERE side = ? AND key = ? AND url = ?",
            [side.rawValue, order, url])
    }

    /// The leaves of an object's lists and documents.
    func leaves(under owner: String) throws -> [DigestLeaf] {
        // Without `INDEXED BY`, SQLite would use the primary key, and read all leaves of the side.
        try leaves(
            """
            SELECT url, etag FROM digest_leaf INDEXED BY digest_leaf_of_owner
            WHERE side = ? AND owner IS NOT NULL AND owner = ?
            """, [side.rawValue, owner])
    }

    /// The leaves under a prefix, sorted only by the first 16 digits of their keys.
    func leaves(under prefix: DigestPrefix, limit: Int) throws -> [DigestLeaf] {
        let range = prefix.range
        let leaves = try leaves(
            "SELECT url, etag FROM digest_leaf WHERE side = ? AND key BETWEEN ? AND ? ORDER BY key, url LIMIT ?",
            [side.rawValue, range.lowerBound, range.upperBound, limit])
        return prefix.depth > 16 ? leaves.filter { prefix.leads(to: $0.key) } : leaves
    }

    private func leaves(_ sql: String, _ arguments: StatementArguments) throws -> [DigestLeaf] {
        var leaves: [DigestLeaf] = []
        try db.forEach(sql, arguments) { leaves.append(DigestLeaf(url: $0[0], etag: $0[1])) }
        return leaves
    }

    // MARK: - Nodes

    func node(_ prefix: DigestPrefix) throws -> DigestNode {
        if let children = try children(of: prefix) {
            return DigestNode(
                prefix: prefix, summary: DigestTrie.summary(of: children), content: .children(children))
        }
        let leaves = try leaves(under: prefix, limit: DigestTrie.leafLimit)
        return DigestNode(
            prefix: prefix, summary: DigestTrie.summary(of: leaves, under: prefix),
            content: .leaves(leaves.sorted { $0.key.lexicographicallyPrecedes($1.key) }))
    }

    /// Updates the nodes for leaves that were added, changed or removed.
    ///
    /// - Parameter changed: the first 64 bits of the leaves' keys (``DigestLeaf/order(of:)``), sorted.
    func update(_ changed: [Int64]) throws { _ = try update(.root, changed[...]) }

    /// Builds all nodes from the leaves.
    func buildNodes() throws {
        try db.run("DELETE FROM digest_node WHERE side = ?", [side.rawValue])
        _ = try build(.root)
    }

    private func update(_ prefix: DigestPrefix, _ changed: ArraySlice<Int64>) throws -> DigestTrie.Summary {
        guard var children = try children(of: prefix) else { return try build(prefix) }
        var rest = changed
        while let next = rest.first {
            let digit = Self.digit(of: next, prefix.depth)
            let child = prefix.child(digit), end = child.range.upperBound
            let part = rest.prefix { $0 <= end }
            rest = rest[part.endIndex...]
            children[digit] = try update(child, part)
        }
        let summary = DigestTrie.summary(of: children)
        guard summary.count > DigestTrie.leafLimit else {
            try db.run("DELETE FROM digest_node WHERE side = ? AND prefix = ?", [side.rawValue, prefix.text])
            return try build(prefix)
        }
        try write(prefix, children)
        return summary
    }

    private static func digit(of order: Int64, _ depth: Int) -> Int {
        guard depth < 16 else { return 0 }
        return Int((UInt64(bitPattern: order) ^ 1 << 63) >> (60 - 4 * depth) & 15)
    }

    /// Builds a node from its leaves, and stores it and its inner nodes as far as necessary.
    private func build(_ prefix: DigestPrefix) throws -> DigestTrie.Summary {
        let leaves = try leaves(under: prefix, limit: DigestTrie.leafLimit + 1)
        if leaves.count <= DigestTrie.leafLimit { return DigestTrie.summary(of: leaves, under: prefix) }
        let children = try (0..<16).map { try build(prefix.child($0)) }
        try write(prefix, children)
        return DigestTrie.summary(of: children)
    }

    /// The size in bytes of a stored child: its hash, and its count in four bytes.
    private static let childSize = DigestTrie.hashSize + 4

    private func children(of prefix: DigestPrefix) throws -> [DigestTrie.Summary]? {
        let stored = try db.value(
            Data.self, "SELECT children FROM digest_node WHERE side = ? AND prefix = ?",
            [side.rawValue, prefix.text])
        return try stored?.withUnsafeBytes { bytes in
            guard bytes.count == 16 * Self.childSize else {
                throw StoreError(
                    .damaged,
                    "The stored digest of this mirror is damaged. Run: mirror verify --repair")
            }
            return (0..<16).map { index in
                let start = index * Self.childSize
                let end = start + DigestTrie.hashSize
                let count = bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self)
                return .init(hash: Array(bytes[start..<end]), count: Int(UInt32(bigEndian: count)))
            }
        }
    }

    private func write(_ prefix: DigestPrefix, _ children: [DigestTrie.Summary]) throws {
        var bytes = Data(capacity: 16 * Self.childSize)
        for child in children {
            bytes += child.hash
            withUnsafeBytes(of: UInt32(clamping: child.count).bigEndian) { bytes.append(contentsOf: $0) }
        }
        try db.run(
            "INSERT OR REPLACE INTO digest_node (side, prefix, children) VALUES (?, ?, ?)",
            [side.rawValue, prefix.text, bytes])
    }
}
