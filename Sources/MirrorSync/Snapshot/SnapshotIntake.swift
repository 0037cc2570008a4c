import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Takes in one answer as it comes: reads its lines, stores them part by part, looks up what its lists name.
struct SnapshotIntake {
    private let environment: SyncEnvironment
    private let inbox: SnapshotInbox
    /// When it was asked for.
    private let began: Date
    private let writer: SnapshotWriter
    private let commits: SnapshotCommits
    private var lines = SnapshotLines()
    private var check: OwnListCheck
    private var reading: SnapshotReading?
    private(set) var loaded: SnapshotLoad.Loaded

    init(
        environment: SyncEnvironment, inbox: SnapshotInbox, began: Date, position: LoadPosition,
        loaded: SnapshotLoad.Loaded, observe: @escaping @Sendable (Write, WriteEffect) -> Void
    ) {
        self.environment = environment
        self.inbox = inbox
        self.began = began
        self.loaded = loaded
        check = OwnListCheck(environment.store)
        writer = SnapshotWriter(environment: environment, position: position, observe: observe)
        let cache = environment.session.cache
        commits = SnapshotCommits(
            writer, isSynchronous: environment.options.synchronous,
            elapsed: environment.session.configuration.clock.elapsed
        ) { cache?.flush() }
    }

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
                await commits.abandon()
                throw error
            }
            throw failure
        }
        return reading?.isWhole == true && !lines.isCut
    }

    /// What came next. Where it lets itself be waited for, what is written is committed first: a server may take minutes, and
    /// until then nobody else could write to the database.
    private func next() async throws -> [UInt8]? {
        // One thing after the other, the answer is whole before it is read.
        guard !environment.options.synchronous, let rest = commits.rest, !inbox.hasNews else {
            return try await inbox.next()
        }
        let sleep = environment.session.configuration.clock.sleep
        let alarm = Task { [inbox] in
            try await sleep(rest)
            inbox.wake()
        }
        defer { alarm.cancel() }
        let bytes = try await inbox.next()
        guard bytes?.isEmpty == true else { return bytes }
        try await commits.finish()
        return try await inbox.next()
    }

    private mutating func begin(_ head: TransportResponse) {
        let now = environment.now()
        let answer = SnapshotAnswer(
            head: ResponseHead(status: head.status, headers: head.headers),
            requestTime: began.timeIntervalSince1970, responseTime: now.timeIntervalSince1970)
        reading = SnapshotReading(answer, after: position.url, environment: environment)
        // Of several answers the first counts: what changed since then is asked for.
        guard loaded.date == nil else { return }
        (loaded.date, loaded.end) = (answer.date, answer.end)
        if let date = answer.head.date { environment.report.measured(date, at: now) }
    }

    /// Stores what was read, when it is enough; and looks up the members of lists when everything before is stored.
    private mutating func store(isLast: Bool) async throws {
        guard let head = reading?.head else { return }
        writer.noteHead(event: head.event, count: head.count)
        let lists = reading?.takeLists() ?? []
        guard isLast || !lists.isEmpty || reading?.part.isFull == true, let part = reading?.takePart() else {
            return
        }
        try await commits.submit(part)
        guard isLast || !lists.isEmpty else { return }
        try await commits.finish()
        for part in lists {
            try check.take(part)
            guard part.isLast else { continue }
            let count = check.count(part.kind)
            loaded.listed[part.kind] = count
            if count == nil { writer.doubt("its list of \(part.kind.plural) names others than came") }
        }
        loaded.event = position.event
    }
}
