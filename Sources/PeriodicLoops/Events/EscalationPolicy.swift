/// The rules for failures of a loop. Pure: the same input gives the same health.
///
/// | failure | result |
/// |---|---|
/// | network failure, 429, 5xx | the next try after ``backOff`` or the requested wait, whichever is longer; no escalation |
/// | a response that can't be processed | the next try after ``backOff`` |
/// | ``resetAfter`` of these in a row (6) | tries refresh everything instead of polling |
/// | ``quarantineAfter`` of these in a row (9) | one such try every ``probeInterval`` (a day) |
/// | the feed has ended | the loop is disabled |
/// | a success | the health is ``LoopHealth/State/well`` again |
public struct EscalationPolicy: Sendable, Hashable {
    /// The wait between tries. Default: 1 s, doubled after each failure, up to 30 min.
    ///
    /// Tries are at ticks, so a wait that is shorter than the interval has no effect.
    public var backOff = BackOff()
    /// The number of consecutive unprocessable responses after which tries refresh everything. Default: 6. At least 1.
    public var resetAfter = 6
    /// The number of consecutive unprocessable responses after which the loop is quarantined. Default: 9. At least 1.
    ///
    /// If it is less than ``resetAfter``, the loop is quarantined without a reset before.
    public var quarantineAfter = 9
    /// The time between tries of a quarantined loop, and the longest wait that a server can request. Default: 24 h.
    public var probeInterval = Duration.seconds(86_400)

    /// Creates a policy with the defaults.
    public init() {}

    /// Returns the health after a failure; nil if the feed has ended.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - health: The health before the failure.
    ///   - now: The current time, a reading of the scheduler's clock.
    ///   - random: A random number in `0..<1`, for the back-off.
    public func health(
        after failure: LoopFailure, of health: LoopHealth, at now: Duration, random: Double
    ) -> LoopHealth? {
        var health = health
        let wait: Duration
        switch failure.kind {
        case .over: return nil
        case .unreachable(let retryAfter):
            health.troubles = Self.next(health.troubles)
            let asked = min(retryAfter ?? .zero, probeInterval)
            wait = max(asked, backOff.delay(afterFailures: health.troubles, random: random))
        case .unprocessable:
            // There was a response, so the network works.
            health.troubles = 0
            health.failures = Self.next(health.failures)
            wait =
                health.failures >= max(1, quarantineAfter)
                ? probeInterval : backOff.delay(afterFailures: health.failures, random: random)
        }
        health.state = state(of: health)
        health.lastError = String(failure.message.prefix(500))
        health.lastErrorAt = now
        health.nextTry = now + wait
        return health
    }

    /// Returns a stored health with all values made consistent.
    ///
    /// - The state is derived from the counts.
    /// - A quarantine has a time for its next try.
    /// - The next try is no later than this policy allows, even if the stored time is from another clock.
    public func restored(_ stored: LoopHealth, at now: Duration) -> LoopHealth {
        var health = stored
        health.failures = max(0, stored.failures)
        health.troubles = max(0, stored.troubles)
        // A quarantine is kept even if the count wasn't stored, or `quarantineAfter` was raised since.
        if stored.state == .quarantined { health.failures = max(health.failures, 1, quarantineAfter) }
        health.state = state(of: health)
        if health.state == .well { return LoopHealth() }
        if health.state == .quarantined && health.nextTry == nil {
            health.nextTry = (health.lastErrorAt ?? now) + probeInterval
        }
        if let next = health.nextTry { health.nextTry = min(next, now + max(probeInterval, backOff.limit)) }
        return health
    }

    private func state(of health: LoopHealth) -> LoopHealth.State {
        if health.failures >= max(1, quarantineAfter) { return .quarantined }
        if health.failures >= max(1, resetAfter) { return .resetting }
        return health.failures + health.troubles > 0 ? .backingOff : .well
    }

    /// Increments without overflow.
    private static func next(_ count: Int) -> Int { min(count, Int.max - 1) + 1 }
}
