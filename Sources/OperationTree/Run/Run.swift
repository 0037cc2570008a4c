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
    /// Cancelling the calling task cancels what is in work, waits for it, and gives an outcome that says so.
    /// A run is executed once; a second call is a programming mistake and stops the program.
    public func execute() async -> Outcome {
        let isFirst = wasExecuted.compareExchange(
            expected: false, desired: true, ordering: .relaxed
        ).exchanged
        precondition(isFirst, "A run executes its tree once; make another run")
        let root = Scope(
            node: tree.plan.places[0], depth: 0, parent: nil, input: input, environment, tree.root)
        return await engine.execute(root, mode: mode)
    }

    /// What happens from now on, until the run ends. Each call gives a stream of its own.
    ///
    /// A stream buffers 1,024 events unless configured otherwise; what finds it full is dropped and counted.
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
