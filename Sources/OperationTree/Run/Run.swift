import Synchronization

/// One execution of a tree. The run owns all mutable state; the tree doesn't change.
public final class Run<Input: Sendable, Environment: Sendable>: Sendable {
    private let engine: Engine
    private let tree: Tree<Input, Environment>
    private let input: Input
    private let environment: Environment
    private let mode: RunMode
    private let wasExecuted = Atomic<Bool>(false)

    /// Creates a run. It does nothing until ``execute()`` is called.
    ///
    /// - Parameters:
    ///   - tree: The tree to execute.
    ///   - input: The root's input.
    ///   - environment: A value that every step can read as `environment` of its context.
    ///   - mode: How much work runs at the same time. Default: ``RunMode/concurrent``.
    ///   - configuration: Lane widths, limits and the clock.
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

    /// Executes the tree, and returns when all its work has ended.
    ///
    /// If the calling task is cancelled, the work in progress is cancelled and awaited, and the outcome's state is
    /// ``Outcome/State/cancelled``.
    ///
    /// A run can be executed once. A second call is a programming error and stops the program.
    public func execute() async -> Outcome {
        let isFirst = wasExecuted.compareExchange(
            expected: false, desired: true, ordering: .relaxed
        ).exchanged
        precondition(isFirst, "A run can be executed only once. Create another run.")
        let work = tree.root.body.work(on: input, in: environment, at: tree.plan.places[0])
        return await engine.execute(Scope(node: 0, depth: 0, parent: nil, work: work), mode: mode)
    }

    /// Whether the run is paused; see ``pause()``.
    public var isPaused: Bool { engine.state.withLock { $0.schedule.isPaused } }

    /// Pauses the run: it starts no further work until ``resume()``. Work in progress continues to its end.
    ///
    /// ``execute()`` doesn't return while the run is paused. A paused run can be cancelled. Time limits apply only to
    /// work in progress. The method can be called at any time, from any task, also before the run begins. A second
    /// call, or a call after the end, has no effect.
    public func pause() { engine.update { $0.schedule.setPaused(true) } }

    /// Continues a paused run. Has no effect on a run that isn't paused.
    public func resume() { engine.update { $0.schedule.setPaused(false) } }

    /// Whether the run is paused and idle: it has begun, and no work is in progress. Only ``resume()`` or a cancellation
    /// ends this state.
    package var isAtRest: Bool { engine.state.withLock { $0.isAtRest } }

    /// A new stream of the events from now until the run ends. Each call returns a separate stream.
    ///
    /// A stream buffers ``RunConfiguration/eventBuffer`` events. If its buffer is full, the new event is dropped from this
    /// stream and counted in ``droppedEvents``.
    public var events: AsyncStream<Event> { engine.events.stream() }

    /// The number of events dropped so far.
    public var droppedEvents: Int { engine.events.dropped }

    /// The counts of every node, by name, all read at the same moment.
    public var counts: [String: NodeCounts] { engine.state.withLock { $0.ledger.countsByName } }

    /// The counts of one node; nil if the tree has no node of that name.
    public func counts(of node: String) -> NodeCounts? {
        guard let index = tree.nodes.firstIndex(where: { $0.name == node }) else { return nil }
        return engine.state.withLock { $0.ledger.counts[index] }
    }
}

extension Run where Environment == Void {
    /// Creates a run of a tree without an environment.
    public convenience init(
        _ tree: Tree<Input, Void>, input: Input, mode: RunMode = .concurrent,
        configuration: RunConfiguration = RunConfiguration()
    ) {
        self.init(tree, input: input, environment: (), mode: mode, configuration: configuration)
    }
}

/// How much work of a run happens at the same time.
public enum RunMode: Sendable {
    /// As much work at the same time as the lanes allow.
    case concurrent
    /// One piece of work at a time, depth first in declared order, in the caller's task.
    ///
    /// No other task and no timer is used, so the result is deterministic. Work that exceeds its time limit isn't
    /// interrupted, but fails when it returns.
    case synchronous
}

/// Lane widths, limits and the clock of a run.
public struct RunConfiguration: Sendable {
    /// The maximum number of pieces of work of each lane that run at the same time.
    ///
    /// Defaults: 16 for ``Lane/requests``, 8 for ``Lane/media``, 4 for any other lane.
    public var lanes: [Lane: Int]
    /// The time limit for each try of an item, for each expansion of an input to a list, and for reading each next item of
    /// a list. A node's own limit takes precedence. Default: 10 minutes.
    public var timeLimit: Duration
    /// The maximum number of failed items and lists that wait for a second try. When as many wait, further items and lists
    /// get no second try. Default: 10,000.
    public var retryLimit = 10_000
    /// The maximum number of failures, and the maximum number of incomplete lists, that the outcome contains. Further ones
    /// are only counted. Default: 1,000.
    public var failureLimit = 1_000
    /// The maximum number of events that a stream buffers. Further ones are dropped and counted. Default: 1,024.
    public var eventBuffer = 1_024
    /// Returns the time since a fixed moment.
    public var now: @Sendable () -> Duration
    /// Waits for a time. Must throw promptly when its task is cancelled, and only then.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - lanes: The lane widths that differ from the defaults.
    ///   - timeLimit: The default time limit. Default: 10 minutes.
    ///   - clock: The clock for ``now`` and ``sleep``. Default: the system's continuous clock.
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
