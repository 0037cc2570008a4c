/// How a run goes about its work.
public enum RunMode: Sendable {
    /// As many at once as the lanes allow.
    case concurrent
    /// The same engine with one worker in the caller's task: depth first, in declared order, no other task, no
    /// timer, and so the same result every time.
    case synchronous
}

/// Widths, limits and the clock of a run.
public struct RunConfiguration: Sendable {
    /// How much work of each lane runs at once. Lanes not named here: requests 16, media 8, any other 4.
    public var lanes: [Lane: Int]
    /// For each try of an item, each list request and each pull, where the node has none. Default: 10 minutes.
    public var timeLimit: Duration
    /// How many failed items and lists are remembered for their second try; beyond that, failures are final at once.
    /// Default: 10,000.
    public var retryLimit = 10_000
    /// How many failures, and how many incomplete lists, the outcome holds one by one; more are counted.
    /// Default: 1,000.
    public var failureLimit = 1_000
    /// How many events a stream buffers; more are dropped and counted. Default: 1,024.
    public var eventBuffer = 1_024
    /// The time since some fixed moment.
    public var now: @Sendable () -> Duration
    /// Waits for a time; throws only when its task is cancelled, and promptly then.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init<C: Clock>(
        lanes: [Lane: Int] = [:], timeLimit: Duration = .seconds(600), clock: C
    ) where C.Duration == Duration {
        let start = clock.now
        self.init(
            lanes: lanes, timeLimit: timeLimit, now: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(for: $0) })
    }

    public init(lanes: [Lane: Int] = [:], timeLimit: Duration = .seconds(600)) {
        self.init(lanes: lanes, timeLimit: timeLimit, clock: ContinuousClock())
    }

    public init(
        lanes: [Lane: Int] = [:], timeLimit: Duration = .seconds(600),
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.lanes = lanes
        self.timeLimit = timeLimit
        self.now = now
        self.sleep = sleep
    }

    /// The width of a lane, at least 1.
    public func width(of lane: Lane) -> Int {
        let width =
            switch lane {
            case .requests: lanes[lane] ?? 16
            case .media: lanes[lane] ?? 8
            default: lanes[lane] ?? 4
            }
        return max(1, width)
    }
}
