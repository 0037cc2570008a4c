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

    /// What can't be read.
    struct Broken: Error {}

    /// - Throws: ``Broken``.
    package init(_ line: UnsafeRawBufferPointer) throws {
        if let entry = Self.plainEntry(line) {
            self = entry
            return
        }
        guard let value = try? JSONValue(parsing: line), case .object(let object) = value else {
            throw Broken()
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
            throw Broken()
        }
    }

    /// An entry as this program's server writes it, whose body needn't be looked at to find its end; `nil` for any other.
    private static func plainEntry(_ line: UnsafeRawBufferPointer) -> SnapshotLine? {
        guard line.last == UInt8(ascii: "}"), let head = plainHead(line) else { return nil }
        return .entry(url: head.url, etag: head.etag, body: [UInt8](line[head.end...].dropLast()))
    }

    /// What an entry has before its body.
    typealias Head = (url: String, etag: String, end: Int)

    /// That of an entry as this program's server writes it; `nil` for any other.
    private static func plainHead(_ line: UnsafeRawBufferPointer) -> Head? {
        var rest = unmarked(line)
        guard skip("{\"url\":\"", &rest), let url = plainText(&rest), skip(",\"etag\":\"", &rest),
            let etag = plainText(&rest), skip(",\"body\":", &rest)
        else { return nil }
        return (url, etag, rest.startIndex)
    }

    /// That of an entry whose body may be too long to be held, and begins here: with spaces, too, as others write JSON; `nil`
    /// where anything else is before the body.
    static func head(_ begin: UnsafeRawBufferPointer) -> Head? {
        if let head = plainHead(begin) { return head }
        var rest = unmarked(begin)
        guard skip(["{", "\"url\"", ":", "\""], &rest), let url = plainText(&rest),
            skip([",", "\"etag\"", ":", "\""], &rest), let etag = plainText(&rest),
            skip([",", "\"body\"", ":"], &rest)
        else { return nil }
        return (url, etag, rest.startIndex)
    }

    /// Without the byte order mark that a server may write before its first line, or before each.
    private static func unmarked(_ line: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        line[(ByteOrderMark.begins(line) ? ByteOrderMark.length : 0)...]
    }

    private static func skip(_ texts: [StaticString], _ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        texts.allSatisfy { text in
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            return skip(text, &rest)
        }
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
