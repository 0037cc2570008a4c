import ContentHash

/// A digest computed the long way, over texts: what the one that the store keeps is held against.
public enum NaiveDigest {
    /// The hash of the node under a prefix, in hex.
    ///
    /// - Parameter etags: by canonical URL.
    public static func hash(of etags: [String: String], under prefix: String = "") -> String {
        let leaves = etags.map { url, etag in
            (key: SHA256Hasher.hash(of: url).hex, hash: SHA256Hasher.hash(of: url + "\0" + etag).hex)
        }
        return hash(of: leaves.filter { $0.key.hasPrefix(prefix) }, depth: prefix.utf8.count)
    }

    private static func hash(of leaves: [(key: String, hash: String)], depth: Int) -> String {
        guard leaves.count > 1 else { return leaves.first?.hash ?? String(repeating: "0", count: 64) }
        let children = Dictionary(grouping: leaves) { Array($0.key)[depth] }
        let hashes = "0123456789abcdef".map { hash(of: children[$0] ?? [], depth: depth + 1) }
        let bytes = hashes.joined().chunks(of: 2).compactMap { UInt8($0, radix: 16) }
        return SHA256Hasher.hash(of: bytes).hex
    }
}

extension String {
    fileprivate func chunks(of size: Int) -> [Substring] {
        let all = Array(self)
        return stride(from: 0, to: all.count, by: size).map { Substring(String(all[$0..<$0 + size])) }
    }
}
