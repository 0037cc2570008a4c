/// The time that centres and schedulers go by: a reading and a way to wait.
///
/// All times in statuses and in ``LoopHealth`` are readings of this clock: a `Duration` since its zero. An app that
/// stores them over a restart gives the clock a zero that both runs share, such as 1970:
///
/// ```swift
/// let clock = LoopClock.continuous(startingAt: .seconds(Date().timeIntervalSince1970))
/// ```
public struct LoopClock: Sendable {
    /// The time since the clock's zero. Must not go backwards.
    public var now: @Sendable () -> Duration
    /// Waits for a time, zero where it has come; throws only when its task is cancelled, and promptly then.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// - Parameter start: What the clock says now. Default: zero.
    public init<C: Clock>(_ clock: C, startingAt start: Duration = .zero) where C.Duration == Duration {
        let origin = clock.now
        self.init(
            now: { start + origin.duration(to: clock.now) }, sleep: { try await clock.sleep(for: $0) })
    }

    /// The system's clock that goes on while the machine sleeps and that nobody can set.
    ///
    /// - Parameter start: What the clock says now. Default: zero.
    public static func continuous(startingAt start: Duration = .zero) -> LoopClock {
        LoopClock(ContinuousClock(), startingAt: start)
    }
}
