import Catalogue
import Crypto
import Foundation

/// The validator of an interrupted download, with which it can be resumed.
///
/// It is stored in a small file beside the temporary file, so that it survives a crash. If it is missing or doesn't match,
/// the download starts over.
struct MediaResume: Sendable, Hashable, Codable {
    /// SHA-256 of the address in hexadecimal. The address itself isn't stored, as a signed address is a secret.
    let address: String
    var etag: String?
    var lastModified: String?

    private static func digest(of address: WebAddress) -> String {
        SHA256.hash(data: Data(address.text.utf8)).hexadecimal
    }

    /// The value for `If-Range` (RFC 9110, section 13.1.5): a strong ETag or a date.
    var validator: String? { etag ?? lastModified }

    /// The validator in a response's head; `nil` without a usable one.
    ///
    /// A weak ETag can't be used. A `Last-Modified` date can only be used if it is at least a second before the response's
    /// `Date`; otherwise the file could have changed twice within that second (RFC 9110, section 8.8.2.2).
    init?(address: WebAddress, head: HeaderFields) {
        if let etag = head["ETag"] {
            guard EntityTag.isStrong(etag) else { return nil }
            self.etag = etag
        } else {
            guard let modified = head["Last-Modified"], let date = head.date,
                let then = HTTPDate.date(modified), date.timeIntervalSince(then) >= 1
            else { return nil }
            lastModified = modified
        }
        self.address = Self.digest(of: address)
    }

    static func path(beside file: String) -> String { file + ".resume" }

    /// Reads the validator beside a temporary file; `nil` if there is none for this address.
    static func read(beside file: String, for address: WebAddress) -> MediaResume? {
        guard let data = FileManager.default.contents(atPath: path(beside: file)), data.count <= 16 << 10,
            let resume = try? JSONDecoder().decode(MediaResume.self, from: data),
            resume.address == digest(of: address)
        else { return nil }
        return resume
    }

    /// Writes the validator beside a temporary file. It isn't synced: if it is lost, the download starts over.
    func write(beside file: String) throws {
        let resume = try JSONEncoder().encode(self)
        var partial = try PartialFile(path: Self.path(beside: file))
        try partial.startOver()
        try resume.withUnsafeBytes { try partial.append($0) }
    }
}

/// A `Content-Range` of bytes (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Hashable {
    /// The positions of the first and the last byte; `nil` in a 416, which has only the total length.
    package let range: ClosedRange<Int>?
    /// The length of the complete representation; `nil` if the server doesn't know it (`*`).
    package let total: Int?

    package init?(_ value: String?) {
        let form = /bytes (?:(?<first>[0-9]+)-(?<last>[0-9]+)|\*)\/(?<total>[0-9]+|\*)/.ignoresCase()
        guard let parts = value?.trimmed.wholeMatch(of: form)?.output else { return nil }
        total = Int(parts.total)
        guard total != nil || parts.total == "*" else { return nil }
        guard let first = parts.first, let last = parts.last else {
            range = nil
            return
        }
        guard let first = Int(first), let last = Int(last), first <= last, total.map({ last < $0 }) ?? true
        else { return nil }
        range = first...last
    }
}
