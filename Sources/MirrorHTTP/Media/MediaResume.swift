import Catalogue
import Crypto
import Foundation

/// What lets a download go on after a break: the validator of the bytes that are already there.
///
/// It lies in a small file beside the temporary one, so that it outlives a crash. It is a hint: without it, or with
/// a wrong one, the download starts over.
package struct MediaResume: Sendable, Hashable, Codable {
    /// SHA-256 of the address: a signed address would itself be a secret.
    package let address: String
    package let etag: String?
    package let lastModified: String?

    package init(address: WebAddress, etag: String?, lastModified: String?) {
        self.address = Self.digest(of: address)
        self.etag = etag
        self.lastModified = lastModified
    }

    private static func digest(of address: WebAddress) -> String {
        SHA256.hash(data: Data(address.text.utf8)).hexadecimal
    }

    /// What may stand in `If-Range` (RFC 9110, section 13.1.5): a strong tag, else the date.
    package var validator: String? { etag ?? lastModified }

    /// What of a response's head can vouch for a part later; `nil` if nothing can.
    ///
    /// A weak tag can't, and a date only if it lies before the answer's own: otherwise the file could have changed
    /// twice within that second (section 8.8.2.2).
    package init?(address: WebAddress, head: HeaderFields) {
        if let etag = head["ETag"], EntityTag.isStrong(etag) {
            self.init(address: address, etag: etag, lastModified: nil)
        } else if head["ETag"] == nil, let modified = head["Last-Modified"],
            let date = head["Date"].flatMap(HTTPDate.date), let then = HTTPDate.date(modified),
            date.timeIntervalSince(then) >= 1
        {
            self.init(address: address, etag: nil, lastModified: modified)
        } else {
            return nil
        }
    }

    package static func path(beside file: String) -> String { file + ".resume" }

    /// The note beside a temporary file, if there is a usable one for that address.
    package static func read(beside file: String, for address: WebAddress) -> MediaResume? {
        guard let data = FileManager.default.contents(atPath: path(beside: file)), data.count <= 16 << 10,
            let note = try? JSONDecoder().decode(MediaResume.self, from: data),
            note.address == digest(of: address)
        else { return nil }
        return note
    }

    /// It isn't synced, as Foundation would do: without it, the download starts over.
    package func write(beside file: String) throws {
        let note = try JSONEncoder().encode(self)
        var partial = try PartialFile(path: Self.path(beside: file))
        try partial.startOver()
        try note.withUnsafeBytes { try partial.append($0) }
    }
}
