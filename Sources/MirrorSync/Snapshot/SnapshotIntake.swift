import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import Synchronization

/// Processes one streamed answer.
///
/// It reads the lines, writes one part while it reads the next, commits several parts together, and checks that the objects
/// that the partner's own lists name are stored.
struct SnapshotIntake {
    /// The maximum number of lines in one transaction.
    private static let transactionLimit = 10_000
    /// How long a transaction stays open while waiting for the server. Nobody else can write to the database during that time.
    private static let maximumWait = Duration.seconds(1)

    let environment: SyncEnvironment
    let inbox: SnapshotInbox
    /// The time of the request.
    let began: Date
    let writer: SnapshotWriter
    private(set) var loaded: SnapshotLoad.Loaded

    private(set) var lines = SnapshotLines()
    private(set) var reading: SnapshotReading?
    private(set) var pending: Task<Void, any Error>?
    /// The number of lines that are written but not committed.
    private(set) var openLines = 0
    /// When the open transaction began; `nil` if there is none.
    private(set) var transactionStart: Duration?

    private var clock: SessionClock { environment.session.configuration.clock }

    /// The position up to which everything is stored.
    var position: LoadPosition { writer.position }

    /// Processes the answer.
    ///
    /// - Returns: whether the answer is complete; `false` if it broke off.
    /// - Throws: the error that ended it early. The lines before that are stored nonetheless.
    mutating func run() async throws -> Bool {
        do {
            while let bytes = try await next() {
                if reading == nil, let head = inbox.head { begin(head) }
                try lines.feed(bytes) { try reading?.process($0) }
                try await store(isLast: false)
            }
            try await store(isLast: true)
        } catch {
            let failure = error
            do {
                // The next request need not fetch these lines again.
                try await store(isLast: true)
            } catch {
                // This error is reported instead of the first one.
                try? await settle()
                writer.abandon()
                throw error
            }
            throw failure
        }
        return reading?.isWhole == true && !lines.isCut
    }

    /// The next bytes; `nil` at the end.
    ///
    /// If the server takes longer than ``maximumWait``, the open transaction is committed first, so that others can write to the
    /// database.
    private mutating func next() async throws -> [UInt8]? {
        // In a synchronous run, the answer is complete before it is read.
        guard !environment.options.synchronous, let transactionStart, !inbox.hasNews else {
            return try await inbox.next()
        }
        let rest = max(.zero, transactionStart + Self.maximumWait - clock.elapsed()), sleep = clock.sleep
        let alarm = Task { [inbox] in
            try await sleep(rest)
            inbox.wake()
        }
        defer { alarm.cancel() }
        let bytes = try await inbox.next()
        guard bytes?.isEmpty == true else { return bytes }
        try await commit()
        return try await inbox.next()
    }

    private mutating func begin(_ head: TransportResponse) {
        let now = environment.now()
        let answer = SnapshotAnswer(
            head: ResponseHead(status: head.status, headers: head.headers),
            requestTime: began.timeIntervalSince1970, responseTime: now.timeIntervalSince1970)
        reading = SnapshotReading(environment: environment, answer: answer, url: position.url)
        // The date of the first of several answers is kept, since changes after it have to be requested.
        guard loaded.date == nil else { return }
        (loaded.date, loaded.end) = (answer.date, answer.end)
        if let date = answer.head.date { environment.report.measured(date, at: now) }
    }

    /// Stores a part when it is full or the last one; then checks the members of its lists, as all objects are stored by then.
    private mutating func store(isLast: Bool) async throws {
        guard let head = reading?.head else { return }
        writer.noteHead(event: head.event, count: head.count)
        guard isLast || reading?.part.isFull == true, let part = reading?.takePart() else { return }
        try await submit(part)
        guard isLast || !part.lists.isEmpty else { return }
        try await commit()
        for (kind, ids) in part.lists {
            let areStored = try environment.store.areHeld(kind, ids)
            loaded.listed[kind] = areStored ? ids.count : nil
            if !areStored { writer.markIncomplete("its list of \(kind.plural) names objects that it lacks") }
        }
        loaded.event = position.event
    }

    // MARK: - Transactions

    /// Begins to write a part after the previous one is written.
    ///
    /// - Throws: the error of writing the previous part.
    private mutating func submit(_ part: SnapshotPart) async throws {
        try await settle()
        guard part.lines > 0 || !part.writes.isEmpty else { return }
        openLines += part.lines
        let commits = openLines >= Self.transactionLimit
        transactionStart = commits ? nil : transactionStart ?? clock.elapsed()
        if commits { openLines = 0 }
        let write = { @Sendable [writer, cache = environment.session.cache] in
            try writer.write(part)
            guard commits else { return }
            // A row is never committed before the cache entry that it was made from.
            cache?.flush()
            try writer.commit()
        }
        if environment.options.synchronous { return try write() }
        pending = Task { try write() }
    }

    /// Commits all submitted parts.
    private mutating func commit() async throws {
        try await settle()
        environment.session.cache?.flush()
        (openLines, transactionStart) = (0, nil)
        try writer.commit()
    }

    private mutating func settle() async throws {
        defer { pending = nil }
        try await pending?.value
    }
}

/// The properties that all entries of one answer share.
struct SnapshotAnswer: Sendable {
    let head: ResponseHead
    /// Seconds since 1970, by the local clock.
    let requestTime: Double
    let responseTime: Double

    /// When the server made the answer, in seconds since 1970.
    let date: Double?
    /// The header fields of every entry, without its ETag.
    private let fields: HeaderFields

    init(head: ResponseHead, requestTime: Double, responseTime: Double) {
        (self.head, self.requestTime, self.responseTime) = (head, requestTime, responseTime)
        date = head.date.map { $0.timeIntervalSince1970 - Double(head.age) }
        var fields = HeaderFields([("Content-Type", "application/json"), ("Cache-Control", "no-cache")])
        fields["Date"] = head.headers["Date"]
        self.fields = fields
    }

    /// The time up to which the answer contains all changes; `nil` if the server doesn't state it.
    var end: Timestamp? { head.headers["Changes-End"].flatMap { Timestamp($0) } }

    /// The cache entry for a line: an answer with status 200, which has to be revalidated before it is used.
    func entry(_ url: String, etag: String?, body: [UInt8]) -> CacheEntry {
        var fields = fields
        if let etag { fields.append("ETag", etag) }
        return CacheEntry(
            key: url, status: 200, headers: fields, body: body, requestTime: requestTime,
            responseTime: responseTime)
    }
}

/// A buffer between the transfer of a snapshot and its reader. While it is full, the transfer pauses.
final class SnapshotInbox: PausableSink {
    private struct State: Sendable {
        var head: TransportResponse?
        var bytes: [UInt8] = []
        var isOver = false
        var failure: (any Error)?
        var isWoken = false
        var reader: CheckedContinuation<Void, Never>?
        var resume: (@Sendable () -> Void)?

        var isReady: Bool { !bytes.isEmpty || isOver }
    }

    private let state = Mutex(State())
    private static let capacity = 1 << 18

    /// The answer's head, which is set before the first byte of the body arrives.
    var head: TransportResponse? { state.withLock { $0.head } }

    func begin(_ response: TransportResponse) throws { state.withLock { $0.head = response } }

    func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.bytes.count >= Self.capacity else { return true }
            state.resume = resume
            return false
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws { wake { $0.bytes.append(contentsOf: bytes) } }

    /// Marks the end of the transfer, with the error that ended it early, if any.
    func end(_ failure: (any Error)?) { wake { ($0.isOver, $0.failure) = (true, failure) } }

    /// Makes the current or next call of ``next()`` return, even if there are no bytes.
    func wake() { wake { $0.isWoken = true } }

    private func wake(_ change: (inout sending State) -> Void) {
        let reader = state.withLock { state in
            change(&state)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Whether ``next()`` returns at once.
    var hasNews: Bool { state.withLock { $0.isReady } }

    /// Waits for bytes, and returns all that arrived since the last call: none if ``wake()`` was called, `nil` at the end.
    ///
    /// Only one task may call it.
    ///
    /// - Throws: the error that ended the transfer, after all bytes were returned.
    func next() async throws -> [UInt8]? {
        while true {
            let (found, resume) = state.withLock { state in
                let found = state
                (state.bytes, state.isWoken, state.resume) = ([], false, nil)
                return (found, found.resume)
            }
            resume?()
            if !found.bytes.isEmpty { return found.bytes }
            if let failure = found.failure { throw failure }
            if found.isOver { return nil }
            if found.isWoken { return [] }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.isReady, !state.isWoken { state.reader = continuation }
                    return state.reader == nil
                }
                if isReady { continuation.resume() }
            }
        }
    }
}
