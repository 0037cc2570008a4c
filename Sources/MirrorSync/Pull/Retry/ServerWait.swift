import Catalogue
import MirrorHTTP
import Synchronization

/// Waits for a server in trouble: asks for its status, and waits before it asks again. One belongs to one run.
///
/// It decides nothing: whoever drives it asks, takes the delay that fits the answer, and asks again. Its waits, the
/// session's own and the time that asking takes share one limit, and end at once when the task is cancelled.
final class ServerWait: Sendable {
    let session: InterceptableSession
    /// What all waits of the run may take together.
    let limit: Duration
    private let router: Router
    private let monitor: SyncMonitor

    private struct State {
        var delay = RetryDelay()
        /// What the server answered when it was last asked; `nil` for nothing.
        var status: Int?
    }

    private let state = Mutex(State())

    /// - Parameter limit: ``SyncOptions/maxWait``; it becomes the session's.
    init(session: InterceptableSession, router: Router, limit: Duration, monitor: SyncMonitor) {
        self.session = session
        self.router = router
        self.limit = limit
        self.monitor = monitor
        session.limitWaits(to: limit)
    }

    /// Asks for the server's status: one request, past the cache, without repetition, held back by nothing.
    ///
    /// - Returns: ``PullResult/healthy`` for 200, after which both delays start over; ``PullResult/inTrouble`` for 500;
    ///   ``PullResult/unclear`` for anything else, and for no answer at all.
    /// - Throws: `CancellationError`.
    func askStatus() async throws -> PullResult {
        let status = try await status()
        state.withLock { state in
            state.status = status
            if status == 200 { state.delay = RetryDelay() }
        }
        return status == 200 ? .healthy : status == 500 ? .inTrouble : .unclear
    }

    /// Waits the next delay of that kind, or what the limit leaves of it.
    ///
    /// - Parameter request: the one that failed, for the message.
    /// - Returns: `false` if the limit left nothing, or less than the delay that was begun.
    /// - Throws: `CancellationError`.
    func wait(_ kind: RetryDelay.Kind, because request: FailedRequest? = nil) async throws -> Bool {
        let random = session.configuration.random()
        let (delay, status) = state.withLock { ($0.delay.next(kind, random: random), $0.status) }
        let wait = min(delay, session.waitLeft ?? delay)
        guard wait > .zero else { return false }
        monitor.waits(
            Waiting(.init(status: status), status: status, left: wait, cause: request?.outcome), in: session)
        return try await session.wait(wait, .trouble)
    }

    /// Whether what the server answered when it was last asked is one of the statuses that the extension has.
    var isStatus: Bool { state.withLock { [200, 500, 503].contains($0.status) } }

    /// Whether the server gave no answer when it was last asked for its status.
    var isSilent: Bool { state.withLock { $0.status == nil } }

    /// What is reported of a request that failed for good although the server was waited for.
    func failure(_ reason: WaitFailure, of request: FailedRequest) -> SyncError {
        reason.error(
            request, host: session.origin.display, status: state.withLock { $0.status }, limit: limit)
    }

    private func status() async throws -> Int? {
        do {
            let operation = StatusOperation(router)
            return try await session.countingAsWait { try await session.send(operation).status }
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as HTTPError where error.status != nil && error.code != .invalidRedirect {
            return error.status
        } catch {
            // No answer is an answer here: whatever the reason, it is asked again after the fast delay.
            try Task.checkCancellation()
            return nil
        }
    }
}

/// Asks for the server's status, once and at once. What it says is in the status of its answer; the body is of no interest.
struct StatusOperation: DataOperation {
    let endpoint: Request.Target

    init(_ router: Router) { endpoint = .beside(router.status().canonicalURL) }

    var headers: HeaderFields { .acceptingJSON }
    var limits: TransferLimits? {
        TransferLimits(connect: .seconds(5), idle: .seconds(10), whole: .seconds(10), body: 1 << 20)
    }
    var cache: Request.CacheUse { .bypass }
    var mayWait: Bool { false }
}

/// How long the retry loop waits before it asks again for the server's status.
///
/// Two sequences, kept apart: a server that says it is in trouble is left in peace for longer than one that merely
/// doesn't answer as it should.
///
/// | wait | slow | fast |
/// |---|---|---|
/// | first | 60 s | 10 s |
/// | each next | × U(1.5, 2) | × U(1, 1.5) |
/// | longest | 15 min | 15 min |
struct RetryDelay: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// After a status of 500.
        case slow
        /// After any other status but 200, and after none.
        case fast

        var first: Duration { .seconds(self == .slow ? 60 : 10) }

        /// What a delay is multiplied by for the next one.
        var growth: ClosedRange<Double> { self == .slow ? 1.5...2 : 1...1.5 }
    }

    static let longest: Duration = .seconds(900)

    private var last: [Kind: Duration] = [:]

    /// The next delay of its sequence.
    ///
    /// - Parameter random: in `0..<1`.
    mutating func next(_ kind: Kind, random: Double) -> Duration {
        let range = kind.growth
        let factor = range.lowerBound + (range.upperBound - range.lowerBound) * min(max(random, 0), 1)
        let next = last[kind].map { min($0 * factor, Self.longest) } ?? kind.first
        last[kind] = next
        return next
    }
}

/// Why the retry loop gave up: the words for it.
enum WaitFailure: String, Sendable, Hashable, CaseIterable {
    /// The server's status is 200, and yet the same request fails each time.
    case repeated
    /// The longest wait is over.
    case budgetSpent

    /// - Parameters:
    ///   - status: what the server answered when it was last asked for its status; `nil` for nothing.
    ///   - limit: what all waits of the run may take together.
    func error(_ request: FailedRequest, host: String, status: Int?, limit: Duration) -> SyncError {
        let answered = "\(host) \(request.outcome)"
        if self == .repeated, request.status == 429 {
            return SyncError(
                .serverTrouble,
                "\(answered) each time the sync started over: it asks to slow down for longer than may be waited. Try again later, with fewer --jobs, or with a longer --max-wait; --fail-fast doesn't start over."
            )
        }
        return SyncError(.serverTrouble, "\(answered)\(rest(status, limit))")
    }

    private func rest(_ status: Int?, _ limit: Duration) -> String {
        guard self == .budgetSpent else {
            return
                " each time the sync started over, though its status is 200. Try again later; if that doesn't help, report it to the partner. Until then --fail-fast doesn't start over, and --max-wait limits the waits."
        }
        guard limit > .zero else {
            return
                ", and no wait for it is allowed. Try again later, or allow one with --max-wait; --fail-fast doesn't ask for one."
        }
        let state =
            status.map { "its status was still \($0)" } ?? "it still gave no status"
        return
            ", and \(state) when the sync had waited \(Self.text(limit)), the most that --max-wait allows. Try again later, allow a longer wait, or use --fail-fast, which doesn't wait."
    }

    /// `42 s`, `5 min`, `1 h 30 min`
    static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? "less than 1 s" : words.prefix(2).joined(separator: " ")
    }
}
