import Catalogue
import Foundation

/// A line of a snapshot (`snapshot` extension).
package enum SnapshotLine {
    /// The first line: the position of the feed of events, the number of entries, and the approximate number of bytes.
    case head(event: String?, count: Int, bytes: Int?)
    /// The answer to a canonical URL; its body is JSON.
    case entry(url: String, etag: String?, body: [UInt8])
    /// The last line, with the number of entries.
    case end(count: Int)

    /// Parses a line.
    ///
    /// - Throws: ``SnapshotFailure/brokenLine`` if it can't be parsed.
    package init(_ line: UnsafeRawBufferPointer) throws {
        if let entry = Self.plainEntry(line) {
            self = entry
            return
        }
        guard let value = try? JSONValue(parsing: line), case .object(let object) = value else {
            throw SnapshotFailure.brokenLine
        }
        if let url = object["url"]?.stringValue, let body = object["body"] {
            self = .entry(url: url, etag: object["etag"]?.stringValue, body: body.canonicalBytes)
        } else if object["end"] == .bool(true), let count = object["count"]?.numberValue?.intValue {
            self = .end(count: count)
        } else if let count = object["count"]?.numberValue?.intValue, count >= 0 {
            self = .head(
                event: object["event_id"]?.stringValue, count: count,
                bytes: object["bytes"]?.numberValue?.intValue)
        } else {
            throw SnapshotFailure.brokenLine
        }
    }

    /// Reads an entry whose last field is its body, without parsing the body; `nil` for any other line.
    private static func plainEntry(_ line: UnsafeRawBufferPointer) -> SnapshotLine? {
        guard line.last == UInt8(ascii: "}"), let start = Self.startOfBody(in: line),
            // With `null` in place of the body, the fields before it have to form a valid object.
            case .object(let object)? = try? JSONValue(parsing: Array(line[..<start]) + "null}".utf8),
            let url = object["url"]?.stringValue, let etag = object["etag"]?.stringValue
        else { return nil }
        return .entry(url: url, etag: etag, body: Array(line[start...].dropLast()))
    }

    private static let bodyName = Array(",\"body\":".utf8)

    /// The offset of the value of the first field `body`; `nil` if there is none.
    private static func startOfBody(in line: UnsafeRawBufferPointer) -> Int? {
        guard let base = line.baseAddress else { return nil }
        let length = bodyName.count
        for start in stride(from: 0, through: line.count - length, by: 1)
        where memcmp(base + start, bodyName, length) == 0 {
            return start + length
        }
        return nil
    }
}

/// The reason why the rest of an answer is ignored. The lines before it are kept.
enum SnapshotFailure: String, Error {
    case disorder = "it is out of order"
    case brokenLine = "a line of it can't be read"
    case endlessLine = "a line of it has no end"
}

/// Splits a stream of bytes into lines.
package struct SnapshotLines {
    /// The maximum bytes of a line. The list of a million artworks is one line of about 40 MB.
    static let limit = 64 << 20
    /// The beginning of a line whose end has not arrived yet.
    private var rest: [UInt8] = []

    package init() {}

    /// Calls `take` with each line that ends in these bytes, without its line feed. The buffer is valid during the call only.
    ///
    /// - Throws: ``SnapshotFailure/endlessLine``, and the errors of `take`.
    package mutating func feed(
        _ bytes: [UInt8], _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try bytes.withUnsafeBytes { buffer in
            var next = buffer
            while let start = next.baseAddress, let end = memchr(start, 0x0A, next.count) {
                let length = UnsafeRawPointer(end) - start
                rest += next.prefix(length)
                next = .init(rebasing: next.dropFirst(length + 1))
                try rest.withUnsafeBytes(take)
                rest.removeAll(keepingCapacity: rest.count <= 1 << 20)
            }
            rest += next
        }
        guard rest.count <= Self.limit else { throw SnapshotFailure.endlessLine }
    }

    /// Whether the stream so far ends with an incomplete line.
    package var isCut: Bool { !rest.isEmpty }
}
