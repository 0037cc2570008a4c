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

    /// An entry as this program's server writes it, whose body needn't be looked at to find its end; `nil` for any other.
    private static func plainEntry(_ line: UnsafeRawBufferPointer) -> SnapshotLine? {
        // A server may write a byte order mark before its first line, or before each.
        var rest = line[(ByteOrderMark.begins(line) ? ByteOrderMark.length : 0)...]
        guard line.last == UInt8(ascii: "}"), skip("{\"url\":\"", &rest), let url = plainText(&rest),
            skip(",\"etag\":\"", &rest), let etag = plainText(&rest), skip(",\"body\":", &rest)
        else { return nil }
        return .entry(url: url, etag: etag, body: [UInt8](rest.dropLast()))
    }

    private static func skip(_ text: StaticString, _ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        let length = text.utf8CodeUnitCount
        guard rest.count >= length, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
            memcmp(start, text.utf8Start, length) == 0
        else { return false }
        rest = rest.dropFirst(length)
        return true
    }

    /// The rest of a string, up to behind its quote, with no escapes but those of quotes, backslashes and slashes.
    private static func plainText(_ rest: inout Slice<UnsafeRawBufferPointer>) -> String? {
        var text: [UInt8] = []
        var index = rest.startIndex
        while index < rest.endIndex {
            switch rest[index] {
            case UInt8(ascii: "\""):
                rest = rest[(index + 1)...]
                return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                index += 1
                guard index < rest.endIndex, "\"\\/".utf8.contains(rest[index]) else { return nil }
                text.append(rest[index])
            // No string of JSON has control characters in it.
            case 0..<0x20: return nil
            case let byte:
                text.append(byte)
            }
            index += 1
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
        _ bytes: consuming [UInt8], _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            var start = 0
            while start < buffer.count {
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
                let end = found.map { UnsafeRawPointer($0) - base } ?? buffer.count
                let piece = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                start = end + 1
                guard rest.count + piece.count <= Self.limit else { throw SnapshotFailure.endlessLine }
                if found != nil, rest.isEmpty {
                    try take(piece)
                    continue
                }
                rest.append(contentsOf: piece)
                guard found != nil else { continue }
                try rest.withUnsafeBytes(take)
                rest.removeAll(keepingCapacity: rest.count <= 1 << 20)
            }
        }
    }

    /// Whether something came behind the last end of a line.
    package var isCut: Bool { !rest.isEmpty }
}
