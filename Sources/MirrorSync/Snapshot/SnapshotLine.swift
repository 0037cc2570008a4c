import Catalogue
import Foundation
import MirrorStore

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
        guard line.last == UInt8(ascii: "}"), let head = head(line, mayHaveSpaces: false) else { return nil }
        return .entry(url: head.url, etag: head.etag, body: [UInt8](line[head.end...].dropLast()))
    }

    /// What an entry has before its body, which may be too long to be held, and begins here; `nil` where anything else is before it.
    ///
    /// - Parameter mayHaveSpaces: `false` for an entry as this program's server writes it; others write spaces, too.
    static func head(
        _ begin: UnsafeRawBufferPointer, mayHaveSpaces: Bool = true
    ) -> (url: String, etag: String, end: Int)? {
        var rest = unmarked(begin)
        func skip(_ texts: StaticString...) -> Bool {
            texts.allSatisfy { text in
                if mayHaveSpaces { rest = rest.drop { $0 == UInt8(ascii: " ") } }
                return Self.skip(text, &rest)
            }
        }
        guard skip("{", "\"url\"", ":", "\""), let url = plainText(&rest),
            skip(",", "\"etag\"", ":", "\""), let etag = plainText(&rest),
            skip(",", "\"body\"", ":")
        else { return nil }
        return (url, etag, rest.startIndex)
    }

    /// Without the byte order mark that a server may write before its first line, or before each.
    private static func unmarked(_ line: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        line[(ByteOrderMark.begins(line) ? ByteOrderMark.length : 0)...]
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

/// Cuts what comes into lines. A long one is handed out in parts, as it comes: the list of a million artworks is one.
package struct SnapshotLines {
    package enum Cut {
        /// A line without its end, valid during the call only.
        case whole(UnsafeRawBufferPointer)
        /// The beginning of a long line.
        case begin(UnsafeRawBufferPointer)
        /// What follows of it.
        case more(UnsafeRawBufferPointer, isLast: Bool)
    }

    /// Bytes of the longest line.
    static let limit = 256 << 20

    /// A line that has more bytes is handed out in parts.
    private let wholeLimit: Int
    private var rest: [UInt8] = []
    private var isOpen = false
    /// Bytes of the line that has not ended yet.
    private var length = 0

    package init(wholeLimit: Int = 256 << 10) { self.wholeLimit = wholeLimit }

    /// Hands out every line that ends in these bytes, and what there is of a long one that doesn't.
    ///
    /// - Throws: ``SnapshotFailure``; what `take` throws.
    package mutating func feed(_ bytes: consuming [UInt8], _ take: (Cut) throws -> Void) throws {
        try bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            var start = 0
            while start < buffer.count {
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
                let end = found.map { UnsafeRawPointer($0) - base } ?? buffer.count
                let piece = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                try add(piece, ends: found != nil, take)
                start = end + 1
            }
        }
    }

    private mutating func add(_ piece: UnsafeRawBufferPointer, ends: Bool, _ take: (Cut) throws -> Void)
        throws
    {
        length += piece.count
        guard length <= Self.limit else { throw SnapshotFailure.endlessLine }
        if isOpen {
            try take(.more(piece, isLast: ends))
        } else if ends, rest.isEmpty {
            try take(.whole(piece))
        } else {
            rest.append(contentsOf: piece)
            isOpen = !ends && rest.count > wholeLimit
            if ends || isOpen {
                try rest.withUnsafeBytes { try take(ends ? .whole($0) : .begin($0)) }
                rest.removeAll(keepingCapacity: rest.count <= 2 * wholeLimit)
            }
        }
        if ends { (isOpen, length) = (false, 0) }
    }

    /// Whether something came behind the last end of a line.
    package var isCut: Bool { length > 0 }
}

/// A list whose line is too long to be held: its ids are read as they come.
struct LongList {
    enum Target {
        /// One of the partner's own.
        case own(Kind)
        /// Artworks that belong to something.
        case members(ListAnswer)
    }

    let url: String
    let target: Target
    /// Bytes of its body.
    private(set) var bytes = 0
    private var scanner = ListScanner(elementLimit: 1 << 16)
    /// Ids that came since the last time, and how many were taken before.
    private var ids: [String] = []
    private var taken = 0
    private var isBroken = false
    /// The last byte that came: that of the complete line closes the entry, and isn't of the list.
    private var last: UInt8?

    /// - Parameter begin: the first bytes of its body.
    init(_ url: String, _ target: Target, begin: UnsafeRawBufferPointer) {
        self.url = url
        self.target = target
        feed(begin)
    }

    mutating func feed(_ piece: UnsafeRawBufferPointer) {
        guard let end = piece.last else { return }
        if let last { withUnsafeBytes(of: last) { scan($0) } }
        scan(UnsafeRawBufferPointer(rebasing: piece.dropLast()))
        bytes += piece.count
        last = end
    }

    private mutating func scan(_ body: UnsafeRawBufferPointer) {
        guard !isBroken else { return }
        do {
            try scanner.feed(body) { ids.append(try ListEntry($0).id) }
        } catch {
            isBroken = true
        }
    }

    /// The line has ended.
    ///
    /// - Returns: whether it was a complete list.
    mutating func finish() -> Bool {
        guard !isBroken, last == UInt8(ascii: "}") else { return false }
        return (try? scanner.finish()) != nil
    }

    /// How many ids were taken before, and those that came since.
    mutating func takeIDs() -> (before: Int, ids: [String]) {
        defer { (taken, ids) = (taken + ids.count, []) }
        return (taken, ids)
    }
}
