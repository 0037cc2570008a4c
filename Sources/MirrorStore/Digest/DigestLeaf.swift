import ContentHash

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
    package var key: SHA256Digest { SHA256Hasher.hash(of: url) }

    /// SHA-256 of the URL, a NUL byte and the ETag.
    package var hash: SHA256Digest {
        var hasher = SHA256Hasher()
        var url = url, etag = etag
        url.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
        withUnsafeBytes(of: UInt8(0)) { hasher.update($0) }
        etag.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }

    /// The first 64 bits of a key as a number that SQLite sorts as the key's bytes are.
    static func order(of key: SHA256Digest) -> Int64 {
        key.withUnsafeBytes { order(UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))) }
    }

    static func order(_ first: UInt64) -> Int64 { Int64(bitPattern: first ^ 1 << 63) }
}
