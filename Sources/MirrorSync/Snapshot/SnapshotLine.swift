import Catalogue
import Foundation

/// A line of a snapshot (`snapshot` extension).
package enum SnapshotLine {
    /// The first: where the feed of events stood, how many lines follow, and about how many bytes.
    case head(event: String?, count: Int, bytes: Int?)
    /// What a canonical URL is answered with: its body is JSON.
    case entry(url: String, etag: String?, body: [UInt8])
    /// The last.
    case end(count: Int)

    /// - Throws: ``SnapshotFailure`` for what can't be read.
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

    /// An entry whose body comes last, which needn't be read here then, however long it is; `nil` for any other.
    private static func plainEntry(_ line: UnsafeRawBufferPointer) -> SnapshotLine? {
        guard line.last == UInt8(ascii: "}"), let start = Self.startOfBody(in: line),
            // With any value in the place of the body, what stands before it is a whole object.
            case .object(let object)? = try? JSONValue(parsing: Array(line[..<start]) + "null}".utf8),
            let url = object["url"]?.stringValue, let etag = object["etag"]?.stringValue
        else { return nil }
        return .entry(url: url, etag: etag, body: Array(line[start...].dropLast()))
    }

    private static let bodyName = Array(",\"body\":".utf8)

    /// Where the first field `body` has its value, if it has one.
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

/// Why one can't go on with an answer: what came before is kept.
enum SnapshotFailure: String, Error {
    case disorder = "it is out of order"
    case brokenLine = "a line of it can't be read"
    case endlessLine = "a line of it has no end"
}

/// Cuts what comes into lines.
package struct SnapshotLines {
    /// Bytes of the longest line: the list of a million artworks is one, of about 40 MB.
    static let limit = 64 << 20
    /// What came of a line that has not ended yet.
    private var rest: [UInt8] = []

    package init() {}

    /// Hands out every line that ends in these bytes, without its end; it is valid during the call only.
    ///
    /// - Throws: ``SnapshotFailure``; what `take` throws.
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

    /// Whether something came behind the last end of a line.
    package var isCut: Bool { !rest.isEmpty }
}
