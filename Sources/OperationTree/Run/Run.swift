import Synchronization

/// One execution of a tree. It owns all the state that changes; the tree stays as it is.
public final class Run<Input: Sendable, Environment: Sendable>: Sendable {
    private let engine: Engine
    private let tree: Tree<Input, Environment>
    private let input: Input
    private let environment: Environment
    private let mode: RunMode
    private let wasExecuted = Atomic<Bool>(false)

    /// - Parameter environment: What all steps find in their contexts.
    public init(
        _ tree: Tree<Input, Environment>, input: Input, environment: Environment, mode: RunMode = .concurrent,
        configuration: RunConfiguration = RunConfiguration()
    ) {
        self.tree = tree
        self.input = input
        self.environment = environment
        self.mode = mode
        engine = Engine(plan: tree.plan, configuration: configuration)
    }

    /// Runs the tree to its end, and returns when nothing of it runs any more.
    ///
    /// Cancelling the calling task cancels what is in work, waits for it, and returns an outcome that is
    /// ``Outcome/State/cancelled``.
    /// A run is executed once; a second call is a programming mistake and stops the program.
    public func execute() async -> Outcome {
        let isFirst = wasExecuted.compareExchange(
            expected: false, desired: true, ordering: .relaxed
        ).exchanged
        precondition(isFirst, "A run executes its tree once; make another run")
        let work = tree.root.body.work(on: input, in: environment, at: tree.plan.places[0])
        return await engine.execute(Scope(node: 0, depth: 0, parent: nil, work: work), mode: mode)
    }

    /// Whether the run is paused; see ``pause()``.
    public var isPaused: Bool { engine.state.withLock { $0.schedule.isPaused } }

    /// Lets what is in work end, and begins nothing more until ``resume()``: ``execute()`` doesn't return meanwhile.
    ///
    /// It may be called at any time, from any task, before the run begins too; a second call, or one after the end, does
    /// nothing. A paused run can be cancelled. Time limits hold for what is in work alone.
    public func pause() { engine.update { $0.schedule.setPaused(true) } }

    /// Goes on where ``pause()`` stopped. Of a run that isn't paused it changes nothing.
    public func resume() { engine.update { $0.schedule.setPaused(false) } }

    /// Whether the run has begun, is paused, and nothing of it is in work any more: only ``resume()`` or a cancellation
    /// changes that.
    package var isAtRest: Bool { engine.state.withLock { $0.isAtRest } }

    /// What happens from now on, until the run ends. Each call gives a stream of its own.
    ///
    /// A stream buffers 1,024 events unless configured otherwise; an event that finds it full is dropped and counted.
    public var events: AsyncStream<Event> { engine.events.stream() }

    /// How many events were dropped so far.
    public var droppedEvents: Int { engine.events.dropped }

    /// The counts of every node by name, all of one moment.
    public var counts: [String: NodeCounts] { engine.state.withLock { $0.ledger.countsByName } }

    /// The counts of one node; nil if the tree has none of that name.
    public func counts(of node: String) -> NodeCounts? {
        guard let index = tree.nodes.firstIndex(where: { $0.name == node }) else { return nil }
        return engine.state.withLock { $0.ledger.counts[index] }
    }
}

extension Run where Environment == Void {
    /// A run of a tree without environment.
    public convenience init(
        _ tree: Tree<Input, Void>, input: Input, mode: RunMode = .concurrent,
        configuration: RunConfiguration = RunConfiguration()
    ) {
        self.init(tree, input: input, environment: (), mode: mode, configuration: configuration)
    }
}

/// How much of a run goes on at once.
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

    /// - Parameter clock: What ``now`` and ``sleep`` use.
    public init(
        lanes: [Lane: Int] = [:], timeLimit: Duration = .seconds(600),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.lanes = lanes
        self.timeLimit = timeLimit
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// The width of a lane, at least 1.
    public func width(of lane: Lane) -> Int {
        let usual: [Lane: Int] = [.requests: 16, .media: 8]
        return max(1, lanes[lane] ?? usual[lane] ?? 4)
    }
}
