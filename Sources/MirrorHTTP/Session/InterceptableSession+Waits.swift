import Synchronization

extension InterceptableSession {
    /// Limits the total time that requests wait from now on: throttling and back-off.
    ///
    /// Waits that overlap count once, and pacing isn't counted. A wait that no longer fits isn't begun: a request that
    /// would be repeated has its outcome at once, one that would be held back fails with code `tooManyRequests`. Default:
    /// each request's own limit only, ``SessionConfiguration/longestWait``. Idempotent.
    public func limitWaits(to limit: Duration) { waits.withLock { $0.limit = limit } }

    /// How long requests may still wait; `nil` without a limit.
    package var waitLeft: Duration? { waits.withLock { $0.left(at: configuration.clock.elapsed()) } }

    /// What all requests wait for at this moment, and for how long.
    package var hold: (reason: WaitReason, left: Duration)? {
        guard let hold = waits.withLock({ $0.hold }) else { return nil }
        let left = hold.until - configuration.clock.elapsed()
        return left > .zero ? (hold.reason, left) : nil
    }

    /// Waits; the time counts towards the limit of ``limitWaits(to:)``.
    ///
    /// - Returns: `false`, without having waited, if the limit doesn't allow it.
    /// - Throws: `CancellationError` at once when the task is cancelled.
    package func wait(_ duration: Duration, _ reason: WaitReason) async throws -> Bool {
        let clock = configuration.clock
        guard reason != .pacing else {
            try await clock.sleep(duration)
            return true
        }
        let id: Int? = waits.withLock { tally in
            let now = clock.elapsed()
            return tally.admits(duration, at: now) ? tally.begin(duration, reason, at: now) : nil
        }
        guard let id else { return false }
        defer { waits.withLock { $0.end(id, at: clock.elapsed()) } }
        try await clock.sleep(duration)
        return true
    }

    /// Counts the time of `body` as waiting, whatever the limit: a request for the server's status, for example.
    package func countingAsWait<Result>(_ body: () async throws -> Result) async throws -> Result {
        let clock = configuration.clock
        let id = waits.withLock { $0.begin(.zero, .trouble, at: clock.elapsed()) }
        defer { waits.withLock { $0.end(id, at: clock.elapsed()) } }
        return try await body()
    }
}

/// Why something waits instead of being sent.
public enum WaitReason: Sendable, Hashable {
    /// The session keeps a distance between its requests: no sign of trouble, and not counted.
    case pacing
    /// The server asked to slow down: every request to its host waits.
    case throttling
    /// One request waits before it is repeated.
    case backOff
    /// Everything waits until the server is healthy again.
    case trouble
}

/// Adds up the time in which anything waited for a server, and says whether one more wait fits into a limit.
///
/// Waits that overlap count once: the limit is for the time that a run waits, not for each request in it. A wait is
/// admitted only if it ends within the limit even when it overlaps with none, so the sum never exceeds it.
package struct WaitTally: Sendable {
    /// Why, and until when on the session's ``SessionClock/elapsed``.
    package typealias Wait = (reason: WaitReason, until: Duration)

    /// `nil` for none.
    package var limit: Duration?
    private var ended: Duration = .zero
    /// When the first of the open waits began.
    private var since: Duration = .zero
    private var open: [Int: Wait] = [:]
    private var nextID = 0

    package init(limit: Duration? = nil) { self.limit = limit }

    /// The time in which there was at least one wait.
    package func waited(at now: Duration) -> Duration {
        open.isEmpty ? ended : ended + max(.zero, now - since)
    }

    /// How long may still be waited; `nil` without a limit.
    package func left(at now: Duration) -> Duration? { limit.map { max(.zero, $0 - waited(at: now)) } }

    package func admits(_ duration: Duration, at now: Duration) -> Bool {
        left(at: now).map { duration <= $0 } ?? true
    }

    /// Begins a wait, whatever the limit.
    ///
    /// - Returns: the id to end it with.
    package mutating func begin(_ duration: Duration, _ reason: WaitReason, at now: Duration) -> Int {
        if open.isEmpty { since = now }
        nextID += 1
        open[nextID] = (reason, now + duration)
        return nextID
    }

    /// Ends a wait, early or late; a second time does nothing.
    package mutating func end(_ id: Int, at now: Duration) {
        guard open.removeValue(forKey: id) != nil, open.isEmpty else { return }
        ended += max(.zero, now - since)
    }

    /// The last of the waits that hold up everything; `nil` if there is none.
    package var hold: Wait? {
        open.values.filter { $0.reason == .throttling || $0.reason == .trouble }.max { $0.until < $1.until }
    }
}
