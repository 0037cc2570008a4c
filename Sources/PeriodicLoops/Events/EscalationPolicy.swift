/// What failures of a loop lead to. A pure decision: the same input gives the same health.
///
/// | failure | leads to |
/// |---|---|
/// | network trouble, 429, 5xx | the next try after ``backOff``, or what the server asked for if that is longer; nothing else ever |
/// | an answer that can't be processed | the next try after ``backOff`` |
/// | ``resetAfter`` of these in a row (6) | tries refresh everything instead of polling |
/// | ``quarantineAfter`` of these in a row (9) | one such try each ``probeInterval`` (a day) |
/// | the feed is over | the loop is disabled |
/// | a success | all is forgotten |
public struct EscalationPolicy: Sendable, Hashable {
    /// Between tries. Tries are at ticks: what is shorter than the interval has no effect. Default: 1 s, doubled, to 30 min.
    public var backOff = BackOff()
    /// Default: 6. At least 1.
    public var resetAfter = 6
    /// Default: 9. At least 1; if it is less than ``resetAfter``, there is no reset before it.
    public var quarantineAfter = 9
    /// Default: 24 h. Also the longest wait that a server may ask for.
    public var probeInterval = Duration.seconds(86_400)

    public init() {}

    /// The health after a failure; nil if the feed is over.
    ///
    /// - Parameter random: For the back-off, in `0..<1`.
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
            // There was an answer, so the network is not what is wrong.
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

    /// A stored health made consistent: its state follows from the counts, a quarantine has a time for its next try, and
    /// none waits longer than this policy ever says, whatever clock the time was read from.
    public func restored(_ stored: LoopHealth, at now: Duration) -> LoopHealth {
        var health = stored
        health.failures = max(0, stored.failures)
        health.troubles = max(0, stored.troubles)
        // Kept by its word alone, where the count was not stored or the limit has been raised since.
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

    /// Counts on, for ever.
    private static func next(_ count: Int) -> Int { min(count, Int.max - 1) + 1 }
}
