import Catalogue
import Crypto

/// Strong ETags made from what they stand for: equal bodies have equal ETags on every server of a chain.
extension EntityTag {
    /// The quoted first 128 bits, in hex, of the SHA-256 of the body.
    package static func strong(of body: String) -> String { "\"\(EntryDigest.of(body))\"" }

    package static func strong(of bytes: UnsafeRawBufferPointer) -> String { "\"\(EntryDigest.of(bytes))\"" }
}

/// The digest of a picture's or document's JSON.
package enum EntryDigest {
    package static func of(_ text: String) -> String { of(text.utf8) }

    package static func of(_ bytes: some Sequence<UInt8>) -> String {
        SHA256.hash(data: Array(bytes)).withUnsafeBytes { Array($0.prefix(16)) }.hexadecimal
    }
}
