import Catalogue
import Crypto

/// A simple, slow computation of a catalogue's digest, which the store's digest is compared with.
package enum NaiveDigest {
    /// The hash of the node with a prefix, in hexadecimal.
    ///
    /// - Parameter etags: the ETags of all entries, by canonical URL.
    package static func hash(of etags: [String: String], under prefix: String = "") -> String {
        let leaves = etags.map { url, etag in
            (key: sha256(Array(url.utf8)), hash: sha256(Array("\(url)\0\(etag)".utf8)))
        }
        return hash(of: leaves.filter { $0.key.hasPrefix(prefix) }, depth: prefix.utf8.count)
    }

    private static func hash(of leaves: [(key: String, hash: String)], depth: Int) -> String {
        guard leaves.count > 1 else { return leaves.first?.hash ?? String(repeating: "0", count: 64) }
        let children = Dictionary(grouping: leaves) { Array($0.key)[depth] }
        let hashes = "0123456789abcdef".map { hash(of: children[$0] ?? [], depth: depth + 1) }
        return sha256([UInt8](hexadecimal: hashes.joined()) ?? [])
    }

    private static func sha256(_ bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }
}
