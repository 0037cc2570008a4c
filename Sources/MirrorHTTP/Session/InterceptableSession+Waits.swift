import Synchronization

/// The session's own account of its waits.
final class WaitLedger: Sendable {
    private let tally = Mutex(WaitTally())
    private let clock: SessionClock

    init(clock: SessionClock) { self.clock = clock }

    func limit(to limit: Duration) { tally.withLock { $0.limit = limit } }

    /// The account as it is now, and now.
    var current: (tally: WaitTally, now: Duration) { tally.withLock { ($0, clock.elapsed()) } }

    /// Begins a wait if the limit allows it.
    ///
    /// - Returns: what to end it with.
    func beginAdmitted(_ duration: Duration, _ reason: WaitReason) -> Int? {
        tally.withLock { tally in
            let now = clock.elapsed()
            return tally.admits(duration, at: now) ? tally.begin(duration, reason, at: now) : nil
        }
    }

    /// Begins a wait whose end isn't known, whatever the limit.
    func begin(_ reason: WaitReason) -> Int {
        tally.withLock { $0.begin(.zero, reason, at: clock.elapsed()) }
    }

    func end(_ id: Int) { tally.withLock { $0.end(id, at: clock.elapsed()) } }
}

extension InterceptableSession {
    /// Bounds what requests wait from now on, all together: throttling and back-off.
    ///
    /// Waits that overlap count once, and pacing isn't counted. A wait that doesn't fit any more isn't begun: what would
    /// be repeated has its outcome at once, what would be held back fails with code `tooManyRequests`. Default: no bound
    /// but each request's own, ``SessionConfiguration/longestWait``. Idempotent.
    public func limitWaits(to limit: Duration) { waits.limit(to: limit) }

    /// What may still be waited; `nil` where there is no limit.
    package var waitLeft: Duration? {
        let (tally, now) = waits.current
        return tally.left(at: now)
    }

    /// What everything waits for at this moment, and how long still.
    package var hold: (reason: WaitReason, left: Duration)? {
        let (tally, now) = waits.current
        return tally.hold.flatMap { $0.until > now ? ($0.reason, $0.until - now) : nil }
    }

    /// Waits as part of what is bounded by ``limitWaits(to:)``.
    ///
    /// - Returns: `false`, without having waited, if the limit doesn't allow it.
    /// - Throws: `CancellationError` at once when the task is cancelled.
    package func wait(_ duration: Duration, _ reason: WaitReason) async throws -> Bool {
        let clock = configuration.clock
        guard reason != .pacing else {
            try await clock.sleep(duration)
            return true
        }
        guard let id = waits.beginAdmitted(duration, reason) else { return false }
        defer { waits.end(id) }
        try await clock.sleep(duration)
        return true
    }

    /// Counts the time of something as waiting, limit or not: asking for a status, for one.
    package func countingAsWait<Result>(_ body: () async throws -> Result) async throws -> Result {
        let id = waits.begin(.trouble)
        defer { waits.end(id) }
        return try await body()
    }
}
