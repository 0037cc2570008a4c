import Synchronization

extension InterceptableSession {
    /// Limits the total time that requests wait for throttling and back-off.
    ///
    /// Overlapping waits count once, and pacing isn't counted. A wait that would exceed the limit isn't started: a failed
    /// request isn't repeated, and a throttled one fails with code `tooManyRequests`. Default: only each request's own limit,
    /// ``SessionConfiguration/longestWait``. Idempotent.
    public func limitWaits(to limit: Duration) { waits.withLock { $0.limit = limit } }

    /// The remaining time that requests may wait; `nil` without a limit.
    package var waitLeft: Duration? { waits.withLock { $0.left(at: configuration.clock.elapsed()) } }

    /// The reason for which all requests currently wait, and the remaining time; `nil` if they don't wait.
    package var hold: (reason: WaitReason, left: Duration)? {
        guard let hold = waits.withLock({ $0.hold }) else { return nil }
        let left = hold.until - configuration.clock.elapsed()
        return left > .zero ? (hold.reason, left) : nil
    }

    /// Waits. The time counts towards the limit of ``limitWaits(to:)``.
    ///
    /// - Returns: `false`, without waiting, if the limit doesn't allow the wait.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func wait(_ duration: Duration, _ reason: WaitReason) async throws -> Bool {
        let clock = configuration.clock
        guard reason != .pacing else {
            try await sleep(duration)
            return true
        }
        let id: Int? = waits.withLock { tally in
            let now = clock.elapsed()
            return tally.admits(duration, at: now) ? tally.begin(duration, reason, at: now) : nil
        }
        guard let id else { return false }
        defer { waits.withLock { $0.end(id, at: clock.elapsed()) } }
        try await sleep(duration)
        return true
    }

    private func sleep(_ duration: Duration) async throws {
        let clock = configuration.clock
        guard rules != nil else { return try await clock.sleep(duration) }
        try await sending.interrupting { try await clock.sleep(duration) }
    }

    /// Counts the time of `body` as a wait, even beyond the limit. Used for requests of the server's status, for example.
    package func countingAsWait<Result>(_ body: () async throws -> Result) async throws -> Result {
        let clock = configuration.clock
        let id = waits.withLock { $0.begin(.zero, .serverFailure, at: clock.elapsed()) }
        defer { waits.withLock { $0.end(id, at: clock.elapsed()) } }
        return try await body()
    }
}

/// Why a request waits.
public enum WaitReason: Sendable, Hashable {
    /// The session limits its own request rate. This wait isn't counted.
    case pacing
    /// The server sent 429, or 503 with `Retry-After`; all requests to its host wait.
    case throttling
    /// The host blocks requests (``BlockInterceptor``); all requests to it wait.
    case blocked
    /// One request waits before it is repeated.
    case backOff
    /// The server fails; all requests wait until it works again.
    case serverFailure
}

/// Adds up the time of all waits for a server, and checks further waits against a limit.
///
/// Overlapping waits count once: the limit is for the time that a run waits, not for each of its requests. A wait is admitted
/// if its full duration fits in the remaining time, so the sum never exceeds the limit.
package struct WaitTally: Sendable {
    /// The reason of a wait, and its end on the session's ``SessionClock/elapsed``.
    package typealias Wait = (reason: WaitReason, until: Duration)

    /// `nil` for no limit.
    package var limit: Duration?
    private var ended: Duration = .zero
    /// When the first of the current, overlapping waits began.
    private var since: Duration = .zero
    private var open: [Int: Wait] = [:]
    private var nextID = 0

    package init(limit: Duration? = nil) { self.limit = limit }

    /// The total time during which there was at least one wait.
    package func waited(at now: Duration) -> Duration {
        open.isEmpty ? ended : ended + max(.zero, now - since)
    }

    /// The remaining time for waits; `nil` without a limit.
    package func left(at now: Duration) -> Duration? { limit.map { max(.zero, $0 - waited(at: now)) } }

    package func admits(_ duration: Duration, at now: Duration) -> Bool {
        left(at: now).map { duration <= $0 } ?? true
    }

    /// Begins a wait without checking the limit.
    ///
    /// - Returns: The id for ``end(_:at:)``.
    package mutating func begin(_ duration: Duration, _ reason: WaitReason, at now: Duration) -> Int {
        if open.isEmpty { since = now }
        nextID += 1
        open[nextID] = (reason, now + duration)
        return nextID
    }

    /// Ends a wait. Idempotent.
    package mutating func end(_ id: Int, at now: Duration) {
        guard open.removeValue(forKey: id) != nil, open.isEmpty else { return }
        ended += max(.zero, now - since)
    }

    /// The wait for all requests that ends last; `nil` if there is none.
    package var hold: Wait? {
        open.values.filter { [.throttling, .blocked, .serverFailure].contains($0.reason) }.max {
            $0.until < $1.until
        }
    }
}
