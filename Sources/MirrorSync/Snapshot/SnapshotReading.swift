import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Reads the lines of one answer, in their order, into parts to be written.
///
/// What can't be read, or isn't in order, ends it: what came before is kept.
struct SnapshotReading {
    /// An answer with which one can't go on.
    struct Disorder: Error {}

    private let environment: SyncEnvironment
    private let decoder: SnapshotDecoder
    private let cache: CanonicalURLCache?
    private let answered: SnapshotAnswer
    private var lines = 0
    private var bytes = 0
    private var url: String

    private(set) var part = SnapshotPart()
    /// The first line.
    private(set) var head: (event: String?, count: Int)?
    /// Whether the last line came, and said that nothing is missing.
    private(set) var isWhole = false
    /// Ids of own lists, which are looked up when what came before is written.
    private(set) var listed: [OwnListCheck.Part] = []
    /// A long line that has not ended: a list, or what came of any other.
    private var list: LongList?
    private var held: [UInt8] = []
    /// Whether the rest of a long line is passed over.
    private var isSkipping = false

    /// - Parameter url: behind which it goes on.
    init(_ answered: SnapshotAnswer, after url: String, environment: SyncEnvironment) {
        self.environment = environment
        self.url = url
        self.answered = answered
        cache = environment.session.cache
        decoder = SnapshotDecoder(
            router: environment.router, report: environment.report, date: answered.date)
        part.writes = Kinds.standard.listed.map { .unclean(kind: $0, date: answered.date) }
    }

    /// The longest line that is held, in bytes, as of other answers: a list needn't be, as long as its URL and ETag are before
    /// it.
    private static let longest = 64 << 20
    /// The longest of an object, with its URL and ETag.
    private static let longestObject = FetchOperation.objectLimit + 4_096

    /// Each kind has at most so many objects, and each of them a few lists or documents at most.
    private var mostLines: Int {
        let (lines, isTooMany) = environment.options.maxObjects.multipliedReportingOverflow(by: 10)
        return isTooMany ? .max : lines
    }

    mutating func take(_ cut: SnapshotLines.Cut) throws {
        switch cut {
        case .whole(let line): try take(line)
        case .begin(let begin): try open(begin)
        case .more(let piece, let isLast):
            if isSkipping {
                isSkipping = !isLast
            } else if list != nil {
                try go(on: piece, isLast: isLast)
            } else {
                try hold(piece, isLast: isLast)
            }
        }
    }

    private mutating func take(_ line: UnsafeRawBufferPointer) throws {
        let line = try SnapshotLine(line)
        guard !isWhole else { throw Disorder() }
        switch line {
        case .head(let event, let count, _):
            guard head == nil, count <= mostLines else { throw Disorder() }
            head = (event, count)
            environment.report.note { $0.loading = .init(count: count) }
        case .entry(let url, let etag, let body):
            try count(url)
            take(url, etag, body)
        case .end(let count):
            guard let head, count == lines, head.count == lines else { throw Disorder() }
            isWhole = true
        }
    }

    private mutating func count(_ url: String) throws {
        // An id has no NUL in it, encoded or not.
        guard let head, !isWhole, lines < head.count, !url.utf8.contains(0), !url.contains("%00"),
            self.url.utf8.lexicographicallyPrecedes(url.utf8)
        else { throw Disorder() }
        lines += 1
        self.url = url
    }

    private mutating func note(_ url: String, bytes count: Int) {
        part.lines += 1
        part.url = url
        bytes += count
    }

    private mutating func take(_ url: String, _ etag: String?, _ body: [UInt8]) {
        note(url, bytes: body.count)
        part.bytes += body.count
        // What has no ETag can't be vouched for later.
        if etag == nil { part.doubt = "\(url) has no ETag" }
        guard body.count <= FetchOperation.objectLimit || !decoder.isObject(url) else { return doubt(url) }
        do {
            switch try decoder.item(url, etag: etag, body: body) {
            case .write(let write):
                part.writes.append(write)
                if write.isCached { cache?.store(answered.entry(url, etag: etag, body: body)) }
            case .ownList(let kind):
                var ids = ListedIDs()
                body.withUnsafeBytes { ids.feed($0) }
                guard ids.finish() else { return doubt(url) }
                listed.append(.init(kind: kind, ids: ids.take(), isLast: true))
            case .unknown: break
            }
        } catch {
            doubt(url)
        }
    }

    /// The tree asks for it, and tells what is wrong with it.
    private mutating func doubt(_ url: String) { part.doubt = "\(url) can't be read" }

    // MARK: - Long lines

    private mutating func open(_ begin: UnsafeRawBufferPointer) throws {
        if let head = SnapshotLine.head(begin), let target = decoder.list(head.url, etag: head.etag) {
            try count(head.url)
            list = LongList(
                head.url, target, begin: UnsafeRawBufferPointer(rebasing: begin[head.end...]))
        } else {
            try hold(begin, isLast: false)
        }
    }

    private mutating func hold(_ piece: UnsafeRawBufferPointer, isLast: Bool) throws {
        let isShort = held.count <= Self.longestObject
        held.append(contentsOf: piece)
        guard held.count <= Self.longest else { throw SnapshotLines.TooLong() }
        if isShort, held.count > Self.longestObject, let url = heldObject {
            try skip(url)
            isSkipping = !isLast
            return
        }
        guard isLast else { return }
        let line = held
        held = []
        try line.withUnsafeBytes { try take($0) }
    }

    /// The URL of the object whose line is held, if it can be told.
    private var heldObject: String? {
        held.withUnsafeBytes(SnapshotLine.head).map(\.url).flatMap { decoder.isObject($0) ? $0 : nil }
    }

    /// Passes over an object that is longer than one may be.
    private mutating func skip(_ url: String) throws {
        held = []
        try count(url)
        note(url, bytes: 0)
        doubt(url)
    }

    private mutating func go(on piece: UnsafeRawBufferPointer, isLast: Bool) throws {
        guard var list = list.take() else { return }
        list.feed(piece)
        // What can't be read ends it, too: nobody relies on what came of it then.
        let isWhole = isLast && list.finish()
        let (before, ids) = list.takeIDs()
        guard before + ids.count <= environment.options.maxObjects else { throw Disorder() }
        switch list.target {
        case .own(let kind): listed.append(.init(kind: kind, ids: ids, isLast: isWhole))
        case .members(let answer):
            part.writes.append(
                .membersPart(MembersPart(list: answer, ids: ids, position: before, isLast: isWhole)))
        }
        part.bytes += piece.count
        guard isLast else {
            self.list = list
            return
        }
        note(list.url, bytes: list.bytes)
        if !isWhole { doubt(list.url) }
    }

    /// What was read since the last time.
    mutating func takePart() -> SnapshotPart {
        defer {
            part = SnapshotPart()
            environment.report.note { [lines, bytes] state in
                state.loading?.taken = lines
                state.loading?.bytes = bytes
            }
        }
        return part
    }

    /// Own lists that came since the last time.
    mutating func takeLists() -> [OwnListCheck.Part] {
        defer { listed = [] }
        return listed
    }
}

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

extension Write {
    /// Whether the tree asks for it with the cache: lists it always asks for.
    fileprivate var isCached: Bool {
        switch self {
        case .object, .document: true
        default: false
        }
    }
}
