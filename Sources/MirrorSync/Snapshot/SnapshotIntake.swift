import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import Synchronization

/// Takes in one answer as it comes: reads its lines, has one part written while the next is read, commits several parts
/// together, and looks up what the partner's own lists name.
struct SnapshotIntake {
    /// The number of lines in one transaction.
    private static let mostOpen = 10_000
    /// How long a transaction stays open while the server is waited for: nobody else writes to the database meanwhile.
    private static let patience = Duration.seconds(1)

    let environment: SyncEnvironment
    let inbox: SnapshotInbox
    /// When the answer was requested.
    let began: Date
    let writer: SnapshotWriter
    private(set) var loaded: SnapshotLoad.Loaded

    private(set) var lines = SnapshotLines()
    private(set) var reading: SnapshotReading?
    private(set) var pending: Task<Void, any Error>?
    /// Lines that are written and not committed.
    private(set) var open = 0
    /// When the transaction that is open was begun.
    private(set) var begun: Duration?

    private var clock: SessionClock { environment.session.configuration.clock }

    /// Up to where everything is stored.
    var position: LoadPosition { writer.position }

    /// - Returns: whether the answer came to its end; `false` if it broke off.
    /// - Throws: what ended it early; what came before is stored all the same.
    mutating func run() async throws -> Bool {
        do {
            while let bytes = try await next() {
                if reading == nil, let head = inbox.head { begin(head) }
                try lines.feed(bytes) { try reading?.take($0) }
                try await store(isLast: false)
            }
            try await store(isLast: true)
        } catch {
            let failure = error
            do {
                // It need not come again.
                try await store(isLast: true)
            } catch {
                // This failure is the one that is reported.
                try? await settle()
                writer.abandon()
                throw error
            }
            throw failure
        }
        return reading?.isWhole == true && !lines.isCut
    }

    /// What came next. If the server has to be waited for, what is written is committed first: a server may take minutes, and
    /// until then nobody else could write to the database.
    private mutating func next() async throws -> [UInt8]? {
        // In a synchronous run the answer is complete before it is read.
        guard !environment.options.synchronous, let begun, !inbox.hasNews else {
            return try await inbox.next()
        }
        let rest = max(.zero, begun + Self.patience - clock.elapsed()), sleep = clock.sleep
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
        // Of several answers the first counts: what changed since then is asked for.
        guard loaded.date == nil else { return }
        (loaded.date, loaded.end) = (answer.date, answer.end)
        if let date = answer.head.date { environment.report.measured(date, at: now) }
    }

    /// Stores what was read, when it is enough; and looks up the members of lists when everything before is stored.
    private mutating func store(isLast: Bool) async throws {
        guard let head = reading?.head else { return }
        writer.noteHead(event: head.event, count: head.count)
        guard isLast || reading?.part.isFull == true, let part = reading?.takePart() else { return }
        try await submit(part)
        guard isLast || !part.lists.isEmpty else { return }
        try await commit()
        for (kind, ids) in part.lists {
            let areHeld = try environment.store.areHeld(kind, ids)
            loaded.listed[kind] = areHeld ? ids.count : nil
            if !areHeld { writer.doubt("its list of \(kind.plural) names others than came") }
        }
        loaded.event = position.event
    }

    // MARK: - Transactions

    /// Begins to write a part when the one before it is written.
    ///
    /// - Throws: what kept that from being written.
    private mutating func submit(_ part: SnapshotPart) async throws {
        try await settle()
        guard part.lines > 0 || !part.writes.isEmpty else { return }
        open += part.lines
        let commits = open >= Self.mostOpen
        begun = commits ? nil : begun ?? clock.elapsed()
        if commits { open = 0 }
        let write = { @Sendable [writer, cache = environment.session.cache] in
            try writer.write(part)
            guard commits else { return }
            // No row is committed without the cache's entry that it was made from.
            cache?.flush()
            try writer.commit()
        }
        if environment.options.synchronous { return try write() }
        pending = Task { try write() }
    }

    /// Commits everything that was submitted.
    private mutating func commit() async throws {
        try await settle()
        environment.session.cache?.flush()
        (open, begun) = (0, nil)
        try writer.commit()
    }

    private mutating func settle() async throws {
        defer { pending = nil }
        try await pending?.value
    }
}

/// What is common to all that one answer stands for.
struct SnapshotAnswer: Sendable {
    let head: ResponseHead
    /// Seconds since 1970, by the own clock.
    let requestTime: Double
    let responseTime: Double

    /// When the server made it, in seconds since 1970.
    let date: Double?
    /// The fields of every entry, without the entry's own ETag.
    private let fields: HeaderFields

    init(head: ResponseHead, requestTime: Double, responseTime: Double) {
        (self.head, self.requestTime, self.responseTime) = (head, requestTime, responseTime)
        date = head.date.map { $0.timeIntervalSince1970 - Double(head.age) }
        var fields = HeaderFields([("Content-Type", "application/json"), ("Cache-Control", "no-cache")])
        fields["Date"] = head.headers["Date"]
        self.fields = fields
    }

    /// The moment behind the last change that it has, where the server says so.
    var end: Timestamp? { head.headers["Changes-End"].flatMap { Timestamp($0) } }

    /// The `200` of a URL that its line stands for: to be confirmed before it is used again.
    func entry(_ url: String, etag: String?, body: [UInt8]) -> CacheEntry {
        var fields = fields
        if let etag { fields.append("ETag", etag) }
        return CacheEntry(
            key: url, status: 200, headers: fields, body: body, requestTime: requestTime,
            responseTime: responseTime)
    }
}

/// Holds what came of a snapshot and was not taken in yet: little, as the transfer waits while there is enough.
final class SnapshotInbox: PausableSink {
    private struct State: Sendable {
        var head: TransportResponse?
        var bytes: [UInt8] = []
        var isOver = false
        var failure: (any Error)?
        var isWoken = false
        var reader: CheckedContinuation<Void, Never>?
        var resume: (@Sendable () -> Void)?

        var hasNews: Bool { !bytes.isEmpty || isOver }
    }

    private let state = Mutex(State())
    private static let capacity = 1 << 18

    /// The answer's head; there before anything else is.
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

    /// Nothing more comes; with a failure if that is why.
    func end(_ failure: (any Error)?) { wake { ($0.isOver, $0.failure) = (true, failure) } }

    /// Has the reader, which waits or is about to, go on with nothing.
    func wake() { wake { $0.isWoken = true } }

    private func wake(_ change: (inout sending State) -> Void) {
        let reader = state.withLock { state in
            change(&state)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Whether the reader needn't wait.
    var hasNews: Bool { state.withLock { $0.hasNews } }

    /// Everything that came since the last call, of which there is some unless it was woken; `nil` behind the last byte.
    ///
    /// For one reader.
    ///
    /// - Throws: what ended the transfer, when everything that came before was handed out.
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
                let isNews = state.withLock { state in
                    if !state.hasNews, !state.isWoken { state.reader = continuation }
                    return state.reader == nil
                }
                if isNews { continuation.resume() }
            }
        }
    }
}
