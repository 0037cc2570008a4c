import Catalogue
import MirrorHTTP
import Synchronization

/// Requests the status of a failing server, and waits between the requests. Each run has its own.
///
/// It makes no decisions: the pull loop requests the status, chooses the delay for the answer, and requests it again. These
/// waits, the session's own waits and the time of the status requests share one limit. Cancelling the task ends a wait.
final class ServerWait: Sendable {
    let session: InterceptableSession
    /// The longest time that all waits of the run may take together.
    let limit: Duration
    private let router: Router
    private let monitor: SyncMonitor

    private struct State {
        var delay = RetryDelay()
        /// The status of the last answer; `nil` for none.
        var status: Int?
    }

    private let state = Mutex(State())

    /// - Parameter limit: ``SyncOptions/maxWait``; it is also set as the session's limit.
    init(session: InterceptableSession, router: Router, limit: Duration, monitor: SyncMonitor) {
        self.session = session
        self.router = router
        self.limit = limit
        self.monitor = monitor
        session.limitWaits(to: limit)
    }

    /// Requests the server's status: one request without cache, retries or waits.
    ///
    /// - Returns: ``PullResult/healthy`` for 200, which also resets both delays; ``PullResult/inTrouble`` for 500;
    ///   ``PullResult/unclear`` for any other answer, or none.
    /// - Throws: `CancellationError`.
    func askStatus() async throws -> PullResult {
        let status = try await status()
        state.withLock { state in
            state.status = status
            if status == 200 { state.delay = RetryDelay() }
        }
        return status == 200 ? .healthy : status == 500 ? .inTrouble : .unclear
    }

    /// Waits for the next delay of that kind, or for the rest of the limit if that is shorter.
    ///
    /// - Parameter request: the failed request, for the message.
    /// - Returns: `false` if the limit was used up before the delay ended.
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

    /// Whether the last answer has a status that the `status` extension defines.
    var hasDefinedStatus: Bool { state.withLock { [200, 500, 503].contains($0.status) } }

    /// Whether the server didn't answer the last request for its status.
    var isUnanswered: Bool { state.withLock { $0.status == nil } }

    /// The error to report for a request that still fails after the waits.
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
            // A missing answer is not an error: the status is requested again after the fast delay.
            try Task.checkCancellation()
            return nil
        }
    }
}

/// Requests the server's status, once and without waiting. Only the answer's status code is used, not its body.
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

/// Computes how long the retry loop waits before it requests the server's status again.
///
/// There are two independent sequences. After a status of 500, the waits are longer than after any other answer.
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
        /// After any other status but 200, and without an answer.
        case fast

        var first: Duration { .seconds(self == .slow ? 60 : 10) }

        /// The range of the random factor from one delay to the next.
        var growth: ClosedRange<Double> { self == .slow ? 1.5...2 : 1...1.5 }
    }

    static let longest: Duration = .seconds(900)

    private var last: [Kind: Duration] = [:]

    /// Returns the next delay of a sequence.
    ///
    /// - Parameter random: a random number in `0..<1`.
    mutating func next(_ kind: Kind, random: Double) -> Duration {
        let range = kind.growth
        let factor = range.lowerBound + (range.upperBound - range.lowerBound) * min(max(random, 0), 1)
        let next = last[kind].map { min($0 * factor, Self.longest) } ?? kind.first
        last[kind] = next
        return next
    }
}

/// Why the retry loop ended without success, with the message for it.
enum WaitFailure: String, Sendable, Hashable, CaseIterable {
    /// The server's status is 200, but the same request fails each time.
    case repeated
    /// The longest wait is used up.
    case budgetSpent

    /// Creates the error for a failed request.
    ///
    /// - Parameters:
    ///   - status: the last answer to a request for the status; `nil` for none.
    ///   - limit: the longest time that all waits of the run may take together.
    func error(_ request: FailedRequest, host: String, status: Int?, limit: Duration) -> SyncError {
        let answered = "\(host) \(request.outcome)"
        if self == .repeated, request.status == 429 {
            return SyncError(
                .serverTrouble,
                "\(answered) each time the sync started over: it asks to slow down for longer than may be waited. Try again later, with fewer --jobs, or with a longer --max-wait; --fail-fast doesn't start over."
            )
        }
        return SyncError(.serverTrouble, "\(answered)\(reasonAndRemedy(status, limit))")
    }

    private func reasonAndRemedy(_ status: Int?, _ limit: Duration) -> String {
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

    /// A duration in words: `42 s`, `5 min`, `1 h 30 min`.
    static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? "less than 1 s" : words.prefix(2).joined(separator: " ")
    }
}
