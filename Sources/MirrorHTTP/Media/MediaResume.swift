import Catalogue
import Crypto
import Foundation

/// The validator of the bytes that a broken download has stored, with which it can be resumed.
///
/// It is stored in a small file beside the temporary one, so that it survives a crash. It is a hint: without it, or with
/// a wrong one, the download starts over.
struct MediaResume: Sendable, Hashable, Codable {
    /// SHA-256 of the address: a signed address would itself be a secret.
    let address: String
    var etag: String?
    var lastModified: String?

    private static func digest(of address: WebAddress) -> String {
        SHA256.hash(data: Data(address.text.utf8)).hexadecimal
    }

    /// What may stand in `If-Range` (RFC 9110, section 13.1.5): a strong tag, else the date.
    var validator: String? { etag ?? lastModified }

    /// The validator that a response's head has for its bytes; `nil` without a usable one.
    ///
    /// A weak tag can't, and a date only if it lies before the answer's own: otherwise the file could have changed
    /// twice within that second (section 8.8.2.2).
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

    /// The note beside a temporary file, if there is a usable one for that address.
    static func read(beside file: String, for address: WebAddress) -> MediaResume? {
        guard let data = FileManager.default.contents(atPath: path(beside: file)), data.count <= 16 << 10,
            let note = try? JSONDecoder().decode(MediaResume.self, from: data),
            note.address == digest(of: address)
        else { return nil }
        return note
    }

    /// Not synchronised to the disk: without it, the download only starts over.
    func write(beside file: String) throws {
        let note = try JSONEncoder().encode(self)
        var partial = try PartialFile(path: Self.path(beside: file))
        try partial.startOver()
        try note.withUnsafeBytes { try partial.append($0) }
    }
}

/// A `Content-Range` of bytes (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Hashable {
    /// `nil` in a 416, which names only the whole length.
    package let range: ClosedRange<Int>?
    /// `nil` where the server doesn't know it (`*`).
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
