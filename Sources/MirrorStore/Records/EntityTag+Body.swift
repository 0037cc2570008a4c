import Catalogue
import Crypto

/// Strong ETags that are computed from the body: equal bodies have equal ETags on every server of a chain of mirrors.
extension EntityTag {
    /// The first 128 bits of the body's SHA-256, in hex and in quotes.
    package static func strong(of body: String) -> String { "\"\(EntryDigest.of(body))\"" }

    package static func strong(of bytes: UnsafeRawBufferPointer) -> String { "\"\(EntryDigest.of(bytes))\"" }
}

/// The digest of a picture's or document's JSON: the first 128 bits of its SHA-256, in hex.
package enum EntryDigest {
    package static func of(_ text: String) -> String { of(text.utf8) }

    package static func of(_ bytes: some Sequence<UInt8>) -> String {
        SHA256.hash(data: Array(bytes)).withUnsafeBytes { Array($0.prefix(16)) }.hexadecimal
    }
}
