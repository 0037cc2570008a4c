import Foundation
import GRDB

/// A digest as it is stored: its leaves in the order of their keys, and the nodes that hold more than can be answered at
/// once, each with the hashes of its children.
///
/// So a node is one row, and a changed leaf costs one row for each step from it to the root.
struct DigestBook {
    let db: Database
    let side: DigestSide

    // MARK: - Leaves

    func put(_ leaf: DigestLeaf, owner: String?) throws -> Int64 {
        let order = DigestLeaf.order(of: leaf.key)
        try db.cachedStatement(
            sql: """
                INSERT INTO digest_leaf (side, key, url, etag, owner) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (side, key, url) DO UPDATE SET etag = excluded.etag, owner = excluded.owner
                """
        ).execute(arguments: [side.rawValue, order, leaf.url, leaf.etag, owner])
        return order
    }

    func remove(_ url: String) throws -> Int64 {
        let order = DigestLeaf.order(of: DigestLeaf.key(of: url))
        try db.cachedStatement(sql: "DELETE FROM digest_leaf WHERE side = ? AND key = ? AND url = ?")
            .execute(arguments: [side.rawValue, order, url])
        return order
    }

    func etag(of url: String) throws -> String? {
        let order = DigestLeaf.order(of: DigestLeaf.key(of: url))
        return try String.fetchOne(
            db.cachedStatement(sql: "SELECT etag FROM digest_leaf WHERE side = ? AND key = ? AND url = ?"),
            arguments: [side.rawValue, order, url])
    }

    /// What an object has under it.
    func leaves(under owner: String) throws -> [DigestLeaf] {
        // Named, as SQLite takes the primary key for as good, and reads all leaves of the side.
        let statement = try db.cachedStatement(
            sql: """
                SELECT url, etag FROM digest_leaf INDEXED BY digest_leaf_of_owner
                WHERE side = ? AND owner IS NOT NULL AND owner = ?
                """)
        return try Self.leaves(statement, [side.rawValue, owner])
    }

    /// Leaves under a prefix, in no particular order beyond the first 16 digits.
    func leaves(under prefix: DigestPrefix, limit: Int) throws -> [DigestLeaf] {
        let range = prefix.range
        let statement = try db.cachedStatement(
            sql:
                "SELECT url, etag FROM digest_leaf WHERE side = ? AND key BETWEEN ? AND ? ORDER BY key, url LIMIT ?"
        )
        let leaves = try Self.leaves(
            statement, [side.rawValue, range.lowerBound, range.upperBound, limit])
        return prefix.depth > 16 ? leaves.filter { prefix.leads(to: $0.key) } : leaves
    }

    private static func leaves(
        _ statement: Statement, _ arguments: StatementArguments
    ) throws -> [DigestLeaf] {
        try Array(
            Row.fetchCursor(statement, arguments: arguments).map { DigestLeaf(url: $0[0], etag: $0[1]) })
    }

    // MARK: - Nodes

    func node(_ prefix: DigestPrefix) throws -> DigestNode {
        if let children = try children(of: prefix) {
            let count = children.reduce(0) { $0 + $1.count }
            return DigestNode(
                prefix: prefix, summary: .init(hash: DigestTrie.hash(of: children), count: count),
                content: .children(children))
        }
        let leaves = try leaves(under: prefix, limit: DigestTrie.leafLimit)
        return DigestNode(
            prefix: prefix, summary: DigestTrie.summary(of: leaves, under: prefix),
            content: .leaves(leaves.sorted { $0.key.lexicographicallyPrecedes($1.key) }))
    }

    /// Brings the nodes up to date with the leaves that came, changed or went.
    ///
    /// - Parameter changed: the orders of their keys.
    func update(_ changed: [Int64]) throws {
        let changed = changed.sorted()
        _ = try update(.root, changed[...])
    }

    /// Makes all nodes anew.
    func buildNodes() throws {
        try db.execute(sql: "DELETE FROM digest_node WHERE side = ?", arguments: [side.rawValue])
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
        let count = children.reduce(0) { $0 + $1.count }
        guard count > DigestTrie.leafLimit else {
            try db.cachedStatement(sql: "DELETE FROM digest_node WHERE side = ? AND prefix = ?")
                .execute(arguments: [side.rawValue, prefix.text])
            return try build(prefix)
        }
        try write(prefix, children)
        return .init(hash: DigestTrie.hash(of: children), count: count)
    }

    private static func digit(of order: Int64, _ depth: Int) -> Int {
        guard depth < 16 else { return 0 }
        return Int((UInt64(bitPattern: order) ^ 1 << 63) >> (60 - 4 * depth) & 15)
    }

    /// So many leaves are held at once.
    private static let chunk = 512

    /// The node as its leaves say, with the nodes that have to be stored under it.
    private func build(_ prefix: DigestPrefix) throws -> DigestTrie.Summary {
        let leaves = try leaves(under: prefix, limit: Self.chunk + 1)
        guard leaves.count > Self.chunk else {
            let entries = leaves.map(DigestTrie.Entry.init).sorted {
                $0.key.lexicographicallyPrecedes($1.key)
            }
            return try DigestTrie.summary(of: entries[...], depth: prefix.depth) { first, depth, children in
                try write(DigestPrefix(of: first.key, depth: depth), children)
            }
        }
        let children = try (0..<16).map { try build(prefix.child($0)) }
        try write(prefix, children)
        return .init(hash: DigestTrie.hash(of: children), count: children.reduce(0) { $0 + $1.count })
    }

    /// A child takes its hash and, in four bytes, its count.
    private static let childSize = DigestTrie.hashSize + 4

    private func children(of prefix: DigestPrefix) throws -> [DigestTrie.Summary]? {
        let stored = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT children FROM digest_node WHERE side = ? AND prefix = ?"),
            arguments: [side.rawValue, prefix.text])
        return try stored?.withUnsafeBytes { bytes in
            guard bytes.count == 16 * Self.childSize else { throw Self.broken }
            return (0..<16).map { index in
                let start = index * Self.childSize
                let end = start + DigestTrie.hashSize
                let count = bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self)
                return .init(hash: Array(bytes[start..<end]), count: Int(UInt32(bigEndian: count)))
            }
        }
    }

    private static var broken: StoreError {
        StoreError(
            .damaged, "The digest that is stored of this mirror is damaged. Run: mirror verify --repair")
    }

    private func write(_ prefix: DigestPrefix, _ children: [DigestTrie.Summary]) throws {
        var bytes = Data(capacity: 16 * Self.childSize)
        for child in children {
            bytes += child.hash
            withUnsafeBytes(of: UInt32(clamping: child.count).bigEndian) { bytes.append(contentsOf: $0) }
        }
        try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO digest_node (side, prefix, children) VALUES (?, ?, ?)"
        ).execute(arguments: [side.rawValue, prefix.text, bytes])
    }
}
