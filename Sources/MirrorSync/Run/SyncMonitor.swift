import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import Synchronization

/// Watches one sync: what happens item by item, and how far it is at any moment.
public final class SyncMonitor: Sendable {
    /// Something that became true in the mirror.
    public enum Event: Sendable {
        /// `created`, `updated`, `deleted`; pictures and documents `fetched` with the bytes of their file, or `unavailable`.
        case item(kind: String, id: String, action: String, bytes: Int64?)
        case problem(Problem)
        /// A wait for a server in trouble begins; throttling and back-off are not reported.
        case waiting(Waiting)
    }

    /// How far a sync is.
    public struct Snapshot: Sendable {
        /// By the name of the tree's node.
        public let counts: [String: NodeCounts]
        /// Members of lists, by kind.
        public let listed: [String: Int]
        public let statistics: SessionStatistics
        /// How much there is in all, as far as it is known.
        public let totals: Totals
        /// Members of lists that will be asked for, or their pictures, by kind; a kind comes in when its list has.
        public let expected: [String: Int]
        /// Whether pictures and documents are fetched.
        public let hasMedia: Bool
        /// How long the whole run will take; `nil` before all lists have come, where there is little to do, and where no
        /// earlier run tells.
        public let forecast: Forecast?
        /// How far a snapshot is taken in, in lines; `nil` unless one is.
        public let loading: Loading?
        /// What was begun last; `image` and `document` for files.
        public let underWay: Subject?
    }

    /// A snapshot that is being taken in.
    public struct Loading: Sendable, Hashable {
        /// Lines that were read, of so many.
        public internal(set) var taken = 0
        public let count: Int
        /// Bytes of what they stand for.
        public internal(set) var bytes = 0
    }

    /// Something of the catalogue, named as the server does.
    public struct Subject: Sendable, Hashable {
        public let kind: String
        public let id: String
    }

    private let watched = Mutex<(environment: SyncEnvironment, run: Run<String, SyncEnvironment>?)?>(nil)
    private let wait = Mutex<(session: InterceptableSession, waiting: Waiting)?>(nil)
    private let handler: (@Sendable (Event) -> Void)?
    private let listeners = Mutex(Listeners())
    let pausing = SyncPause()

    /// - Parameter handler: receives every event, on the task in which it happens; it must be quick.
    public init(_ handler: (@Sendable (Event) -> Void)? = nil) { self.handler = handler }

    /// Whether the sync is paused; see ``pause()``.
    public var isPaused: Bool { pausing.isPaused }

    /// Lets the requests under way end, and begins no other object, list or file until ``resume()``.
    ///
    /// It may be called at any time, from any task, before the sync begins too; it is idempotent. What comes before the tree
    /// (what the server offers, a pull by dates, a snapshot) and what comes after it goes on to its end. The mirror stays
    /// locked meanwhile, and the sync can be cancelled.
    public func pause() { pausing.set(true) }

    /// Goes on where ``pause()`` stopped; idempotent.
    public func resume() { pausing.set(false) }

    /// Whether the sync is paused and what was under way in its tree has ended.
    package var isAtRest: Bool { pausing.isAtRest }

    private struct Listeners {
        struct Reference {
            weak var listener: ProgressListener?
        }

        var references: [Reference] = []
        /// Whether the sync has ended.
        var hasEnded = false

        mutating func add(_ listener: ProgressListener) {
            references.removeAll { $0.listener == nil }
            references.append(Reference(listener: listener))
        }
    }

    /// The progress of the sync, step by step, until it ends; for one loop.
    ///
    /// ```swift
    /// let monitor = SyncMonitor(), progress = monitor.progress(every: .milliseconds(250))
    /// async let summary = mirror.sync(monitor: monitor)
    /// for await step in progress { show(step) }
    /// print(try await summary.outcome)
    /// ```
    ///
    /// Events from this call on are in exactly one step each. The last step comes when the sync has ended, in whatever way, or
    /// could not begin; a loop that begins later has that one step. A loop that is slow holds up nothing: it misses snapshots,
    /// and of the events beyond ``SyncProgress/mostEvents`` it has only the number.
    ///
    /// To leave the loop, or to cancel its task, ends the sequence alone: the sync is ended by whoever began it. With `async let`
    /// that is the function: when it returns, a sync that still runs is cancelled and waited for.
    ///
    /// - Parameter interval: from one step to the next.
    public func progress(every interval: Duration) -> SyncProgressSequence {
        progress(every: interval) { try await Task.sleep(for: $0) }
    }

    /// - Parameter sleep: waits; throws as soon as the task is cancelled.
    func progress(
        every interval: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) -> SyncProgressSequence {
        let listener = ProgressListener()
        let hasEnded = listeners.withLock { listeners in
            listeners.add(listener)
            return listeners.hasEnded
        }
        if hasEnded { listener.end() }
        return SyncProgressSequence(
            monitor: self, listener: listener, interval: interval, sleep: sleep)
    }

    /// The sync has ended, in whatever way; idempotent.
    func end() {
        let references = listeners.withLock { listeners in
            listeners.hasEnded = true
            return listeners.references
        }
        for reference in references { reference.listener?.end() }
    }

    private func report(_ event: Event) {
        handler?(event)
        listeners.withLock { listeners in
            for reference in listeners.references { reference.listener?.add(event) }
        }
    }

    private var hasListeners: Bool { listeners.withLock { !$0.references.isEmpty } }

    /// `nil` before the tree runs, or a snapshot is taken in.
    public var snapshot: Snapshot? {
        guard let (environment, run) = watched.withLock({ $0 }) else { return nil }
        let report = environment.report, state = report.current, totals = Totals(state)
        return Snapshot(
            counts: run?.counts ?? [:], listed: totals.objects, statistics: environment.session.statistics,
            totals: totals,
            expected: Dictionary(
                uniqueKeysWithValues: state.expected.map { ($0.key.name, $0.value.sum + $0.value.lacking) }),
            hasMedia: environment.options.media, forecast: state.forecast?.seconds, loading: state.loading,
            underWay: report.underWay)
    }

    /// What the whole run waits for at this moment: the server is in trouble, or asked to slow down; else `nil`.
    ///
    /// Also before the tree runs.
    public var waiting: Waiting? {
        let wait = wait.withLock { $0 }
        let session = wait?.session ?? watched.withLock { $0?.environment.session }
        guard let (reason, left) = session?.hold else { return nil }
        guard reason != .throttling, var waiting = wait?.waiting else {
            return Waiting(.throttled, left: left)
        }
        waiting.left = left
        return waiting
    }

    /// Reports a wait that begins now.
    func waits(_ waiting: Waiting, in session: InterceptableSession) {
        wait.withLock { $0 = (session, waiting) }
        report(.waiting(waiting))
    }

    /// Watches what is done in an environment: the run of a tree, or what comes before it.
    func attach(_ environment: SyncEnvironment, _ run: Run<String, SyncEnvironment>? = nil) {
        watched.withLock { $0 = (environment, run) }
    }

    func applied(_ write: Write, _ effect: WriteEffect) {
        guard handler != nil || hasListeners, effect == .created || effect == .updated else { return }
        let action = effect == .created ? "created" : "updated"
        switch write {
        case .file(let record):
            // That those that are stored are current is no news.
            guard record.file != nil || record.isUnavailable else { return }
            item(
                kind: record.use.kind, id: record.use.id,
                action: record.isUnavailable ? Self.unavailable : "fetched", bytes: record.file?.size)
        case .object, .document, .showImages:
            item(kind: write.subject.kind, id: write.subject.id, action: action)
        default:
            // Deletions are reported at the end, all together.
            break
        }
    }

    /// The action of an item whose file the server doesn't have.
    package static let unavailable = "unavailable"

    /// Objects of which only a list under them changed.
    func updatedByList(_ objects: [Kind: Set<String>]) {
        for (kind, ids) in objects.sorted(by: { $0.key.name < $1.key.name }) {
            for id in ids.sorted() { item(kind: kind.name, id: id, action: "updated") }
        }
    }

    /// Something that became true, or that a sync would make true.
    func item(kind: String, id: String, action: String, bytes: Int64? = nil) {
        report(.item(kind: kind, id: id, action: action, bytes: bytes))
    }

    func problem(_ problem: Problem) { report(.problem(problem)) }
}

/// That a run waits for the partner's server, why, and for how long.
public struct Waiting: Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It says that it is in trouble: its status is 500.
        case trouble
        /// Its status is 503.
        case overloaded
        /// Its status is anything else.
        case unexpected
        /// It gives no status at all.
        case silent
        /// It asked to slow down.
        case throttled

        /// Of a server that answered with that status; `nil` for no answer.
        init(status: Int?) {
            self =
                switch status {
                case 500: .trouble
                case 503: .overloaded
                case nil: .silent
                default: .unexpected
                }
        }
    }

    public let reason: Reason
    /// What it answered when it was asked for its status; `nil` for none.
    public let status: Int?
    /// How long still.
    public internal(set) var left: Duration
    /// The request that failed and what came of it, such as `answered 503 for /partner/p/albums`; `nil` if it isn't known.
    public let cause: String?

    public init(_ reason: Reason, status: Int? = nil, left: Duration, cause: String? = nil) {
        self.reason = reason
        self.status = status
        self.left = left
        self.cause = cause
    }
}
