import Catalogue
import MirrorHTTP
import MirrorStore

/// What is common to all that one answer stands for.
struct SnapshotAnswer: Sendable {
    let head: ResponseHead
    /// Seconds since 1970, by the own clock.
    let requestTime: Double
    let responseTime: Double

    /// When the server made it, in seconds since 1970.
    var date: Double? { head.date.map { $0.timeIntervalSince1970 - Double(head.age) } }

    /// The moment behind the last change that it has, where the server says so.
    var end: Timestamp? { head.headers["Changes-End"].flatMap { Timestamp($0) } }

    /// The `200` of a URL that its line stands for: to be confirmed before it is used again.
    func entry(_ url: String, etag: String?, body: [UInt8]) -> CacheEntry {
        var fields: [(String, String)] = [
            ("Content-Type", "application/json"), ("Cache-Control", "no-cache"),
        ]
        if let date = head.headers["Date"] { fields.append(("Date", date)) }
        if let etag { fields.append(("ETag", etag)) }
        return CacheEntry(
            key: url, status: 200, headers: HeaderFields(fields), body: body, requestTime: requestTime,
            responseTime: responseTime)
    }
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
