import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import Synchronization

/// Observes one sync: its events, item by item, and its progress at any moment. It can also pause the sync.
public final class SyncMonitor: Sendable {
    /// An event of a sync.
    public enum Event: Sendable {
        /// A change in the mirror. The action of an object is `created`, `updated` or `deleted`. The action of a picture or
        /// document's file is `fetched`, with its size in bytes, or `unavailable`.
        case item(kind: String, id: String, action: String, bytes: Int64?)
        /// A problem that did not end the run.
        case problem(Problem)
        /// The run begins to wait because the server fails. Throttling and back-off are not reported.
        case waiting(Waiting)
    }

    /// The progress of a sync at one moment.
    public struct Snapshot: Sendable {
        /// Counts of items by the name of the tree's node.
        public let counts: [String: NodeCounts]
        /// Members of lists, by kind.
        public let listed: [String: Int]
        /// Requests and bytes so far.
        public let statistics: SessionStatistics
        /// The totals of the run, as far as they are known.
        public let totals: Totals
        /// List members to request, or whose pictures are requested, by kind. A kind is added when its list is received.
        public let expected: [String: Int]
        /// Whether pictures and documents are downloaded.
        public let hasMedia: Bool
        /// The duration of the complete run in seconds; `nil` before all lists are received, in a short run, and if no
        /// earlier run shows how fast the server is.
        public let forecast: Forecast?
        /// The progress of loading a snapshot; `nil` if none is being loaded.
        public let loading: Loading?
        /// How fast the description of a source allows requests; `nil` for a server with the Partner API.
        package let pace: RequestPace?
        /// The object or file that was started last; its kind is `image` or `document` for a file.
        public let current: Subject?
    }

    /// The progress of loading a snapshot.
    public struct Loading: Sendable, Hashable {
        /// The number of lines read so far.
        public internal(set) var taken = 0
        /// The number of lines of the snapshot.
        public let count: Int
        /// Uncompressed bytes of the objects and lists in those lines.
        public internal(set) var bytes = 0
    }

    /// An object or file of the catalogue.
    public struct Subject: Sendable, Hashable {
        /// The kind's name in the API, or `image`, `document`.
        public let kind: String
        /// The id on the server.
        public let id: String
    }

    private let watched = Mutex<(environment: SyncEnvironment, run: Run<String, SyncEnvironment>?)?>(nil)
    private let wait = Mutex<(session: InterceptableSession, waiting: Waiting)?>(nil)
    private let handler: (@Sendable (Event) -> Void)?
    private let listeners = Mutex(Listeners())
    let pausing = SyncPause()

    /// A monitor for one sync.
    ///
    /// - Parameter handler: receives every event, in the task in which it occurs; it must return quickly.
    public init(_ handler: (@Sendable (Event) -> Void)? = nil) { self.handler = handler }

    /// Whether the sync is paused; see ``pause()``.
    public var isPaused: Bool { pausing.isPaused }

    /// Pauses the sync: requests under way end, and no other object, list or file begins until ``resume()``.
    ///
    /// It may be called at any time and from any task, also before the sync begins; it is idempotent. Only the tree pauses:
    /// the work before it (reading the server's extensions, a pull by dates, a snapshot) and after it continues. A paused sync
    /// holds the mirror's lock, and can be cancelled.
    public func pause() { pausing.set(true) }

    /// Continues a paused sync; idempotent.
    public func resume() { pausing.set(false) }

    /// Whether the sync is paused and no request of its tree is under way.
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

    /// The progress of the sync as an asynchronous sequence, until the sync ends; for one loop.
    ///
    /// ```swift
    /// let monitor = SyncMonitor(), progress = monitor.progress(every: .milliseconds(250))
    /// async let summary = mirror.sync(monitor: monitor)
    /// for await step in progress { show(step) }
    /// print(try await summary.outcome)
    /// ```
    ///
    /// Each event after this call is in exactly one step. The last step is sent when the sync has ended, failed or could not
    /// begin. A loop that begins later gets only this last step. A slow loop doesn't delay the sync: it misses snapshots, and
    /// events beyond ``SyncProgress/maximumEvents`` are only counted.
    ///
    /// Leaving the loop, or cancelling its task, ends the sequence but not the sync. A sync that was started with `async let`
    /// is cancelled and awaited when the function returns.
    ///
    /// - Parameter interval: the time from one step to the next.
    public func progress(every interval: Duration) -> SyncProgressSequence {
        progress(every: interval) { try await Task.sleep(for: $0) }
    }

    /// - Parameter sleep: sleeps for the interval; throws when the task is cancelled.
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

    /// Ends all progress sequences; called when the sync has ended or could not begin. Idempotent.
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

    /// The current progress; `nil` before the tree runs or a snapshot is loaded.
    public var snapshot: Snapshot? {
        guard let (environment, run) = watched.withLock({ $0 }) else { return nil }
        let report = environment.report, state = report.current, totals = Totals(state)
        return Snapshot(
            counts: run?.counts ?? [:], listed: totals.objects, statistics: environment.session.statistics,
            totals: totals,
            expected: Dictionary(
                uniqueKeysWithValues: state.expected.map {
                    ($0.key.name, $0.value.sum + $0.value.withoutRequest)
                }),
            hasMedia: environment.options.media, forecast: state.forecast?.seconds, loading: state.loading,
            pace: environment.catalogue.map { RequestPace($0.description) }, current: report.currentSubject)
    }

    /// Why the run waits at this moment: the server fails, blocks requests, or asked the client to slow down. `nil` if the run doesn't wait.
    ///
    /// It is available before the tree runs too.
    public var waiting: Waiting? {
        let wait = wait.withLock { $0 }
        let session = wait?.session ?? watched.withLock { $0?.environment.session }
        guard let (reason, remaining) = session?.hold else { return nil }
        if reason == .blocked { return Waiting(.blocked, remaining: remaining) }
        guard reason != .throttling, var waiting = wait?.waiting else {
            return Waiting(.throttled, remaining: remaining)
        }
        waiting.remaining = remaining
        return waiting
    }

    /// Reports that a wait begins.
    func waits(_ waiting: Waiting, in session: InterceptableSession) {
        wait.withLock { $0 = (session, waiting) }
        report(.waiting(waiting))
    }

    /// Sets the environment whose progress is reported, and its tree's run; `nil` before the tree begins.
    func attach(_ environment: SyncEnvironment, _ run: Run<String, SyncEnvironment>? = nil) {
        watched.withLock { $0 = (environment, run) }
    }

    /// Reports the effect of a write.
    func applied(_ write: Write, _ effect: WriteEffect) {
        guard handler != nil || hasListeners, effect == .created || effect == .updated else { return }
        let action = effect == .created ? "created" : "updated"
        switch write {
        case .file(let record):
            // A stored file that is current is not an event.
            guard record.file != nil || record.isUnavailable else { return }
            item(
                kind: record.use.kind, id: record.use.id,
                action: record.isUnavailable ? Self.unavailable : "fetched", bytes: record.file?.size)
        case .object, .document, .showImages:
            item(kind: write.subject.kind, id: write.subject.id, action: action)
        default:
            // Deletions are reported together at the end of the run.
            break
        }
    }

    /// The action of an item whose file the server doesn't have.
    package static let unavailable = "unavailable"

    /// Reports objects of which only a list under them changed.
    func updatedByList(_ objects: [Kind: Set<String>]) {
        for (kind, ids) in objects.sorted(by: { $0.key.name < $1.key.name }) {
            for id in ids.sorted() { item(kind: kind.name, id: id, action: "updated") }
        }
    }

    /// Reports a change, or a predicted change of a dry run.
    func item(kind: String, id: String, action: String, bytes: Int64? = nil) {
        report(.item(kind: kind, id: id, action: action, bytes: bytes))
    }

    func problem(_ problem: Problem) { report(.problem(problem)) }
}

/// A run's wait for the partner's server: why, and for how long.
public struct Waiting: Sendable, Hashable {
    /// Why a run waits, by the status of the server's answer to a status request.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The server answers 500: it reports an internal failure.
        case failing = "trouble"
        /// The server answers 503: it is overloaded.
        case overloaded
        /// The server answers another status.
        case unexpected
        /// The server doesn't answer.
        case silent
        /// The server asked the client to slow down.
        case throttled
        /// The server of a described source blocks requests for a while.
        case blocked

        /// The reason for a status; `nil` for no answer.
        init(status: Int?) {
            self =
                switch status {
                case 500: .failing
                case 503: .overloaded
                case nil: .silent
                default: .unexpected
                }
        }
    }

    /// Why the run waits.
    public let reason: Reason
    /// The HTTP status of the server's answer to the status request; `nil` for none.
    public let status: Int?
    /// The remaining time.
    public internal(set) var remaining: Duration
    /// The failed request and its result, such as `answered 503 for /partner/p/albums`; `nil` if unknown.
    public let cause: String?

    /// A wait with a reason, the server's status, the remaining time and the failed request.
    public init(_ reason: Reason, status: Int? = nil, remaining: Duration, cause: String? = nil) {
        self.reason = reason
        self.status = status
        self.remaining = remaining
        self.cause = cause
    }
}
