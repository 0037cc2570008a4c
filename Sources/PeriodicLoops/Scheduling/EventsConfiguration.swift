/// Intervals, limits, clock and chance of an ``EventsPeriodicScheduler``.
public struct EventsConfiguration: Sendable {
    /// From tick to tick; loops that are due are asked at ticks. Default: 30 s. At least 1 s: less reads as 1 s.
    public var interval: Duration
    /// How long reading the cursor and polling may take together, and saying what an error means. Default: 10 s.
    public var pollLimit: Duration
    /// How long processing a page or refreshing may take. Default: nil, as long as it takes, for a refresh fetches
    /// everything. With a limit, one that is longer never ends well.
    public var processLimit: Duration?
    /// How many pages of one loop may follow each other before it waits for the next tick. Default: 50. At least 1.
    public var pagesPerTurn: Int
    /// What failures lead to.
    public var escalation: EscalationPolicy
    /// Default: the system's, from zero on.
    public var clock: LoopClock
    /// Where loops run. Default: the global executor.
    public var executor: (any TaskExecutor)?
    /// Numbers in `0..<1`, for back-off. It must not call the scheduler. Default: the system's.
    public var random: @Sendable () -> Double

    public init(
        interval: Duration = .seconds(30), pollLimit: Duration = .seconds(10), processLimit: Duration? = nil,
        pagesPerTurn: Int = 50, escalation: EscalationPolicy = EscalationPolicy(),
        clock: LoopClock = .continuous(), executor: (any TaskExecutor)? = nil,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.interval = interval
        self.pollLimit = pollLimit
        self.processLimit = processLimit
        self.pagesPerTurn = pagesPerTurn
        self.escalation = escalation
        self.clock = clock
        self.executor = executor
        self.random = random
    }

    /// How long a loop rests that was refreshed so many times in a row: twice the interval after two, then twice as long each
    /// time, up to the longest wait after failures.
    func pause(afterRefreshes count: Int) -> Duration {
        let interval = max(interval, .seconds(1)), limit = max(interval, escalation.backOff.limit)
        return BackOff(first: interval, limit: limit).ceiling(afterFailures: count)
    }
}
