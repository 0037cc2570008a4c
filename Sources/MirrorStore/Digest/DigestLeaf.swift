import Crypto

/// A canonical URL of a catalogue, and the ETag of what it stands for.
package struct DigestLeaf: Sendable, Hashable {
    /// Relative to the base.
    package let url: String
    package let etag: String

    package init(url: String, etag: String) {
        self.url = url
        self.etag = etag
    }

    /// Where it is in the trie.
    package var key: [UInt8] { Self.key(of: url) }

    static func key(of url: String) -> [UInt8] { Array(SHA256.hash(data: Array(url.utf8))) }

    /// SHA-256 of the URL, a NUL byte and the ETag.
    package var hash: [UInt8] { Array(SHA256.hash(data: Array("\(url)\0\(etag)".utf8))) }

    /// The first 64 bits of a key as a number that SQLite sorts as the key's bytes are.
    static func order(of key: [UInt8]) -> Int64 { order(key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }) }

    static func order(_ first: UInt64) -> Int64 { Int64(bitPattern: first ^ 1 << 63) }
}
