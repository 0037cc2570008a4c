// OperationTree: typed trees of operations, and the engine that runs them.
//
// - A `Step` turns one input into items (`expand`) and performs one item (`perform`), which puts out what the
//   children take in. A `Node` is a named step with a `Lane`; an edge exists where a parent's Output is the child's
//   Input, and nothing else compiles. A `Tree` is an immutable value: declared once, drawn, inspected, run many times.
// - A `Run` executes a tree once in an environment and owns all the state that changes: one `Engine`, whose workers
//   take the deepest work that may run. Synchronous is the same engine with one worker.
// - What is started is finished before more is expanded, so memory stays flat however long the lists are.
// - Failure is data: see `FinalFailure`, `RunFailure`, `ScopeOutcome`, `Outcome`.
//
// It imports the standard library alone.

/// An immutable tree of operations, whose root takes in the run's input. All its steps share one environment, which
/// a run hands to them in their ``StepContext``.
///
/// ```swift
/// let pictures = Node("image", ImageStep(), lane: .media)
/// let sync = Tree("Sync", PartnerStep()) {
///     Node("artwork", ArtworkStep()) { pictures }
///     Node("show", ShowStep()) {
///         Node("installation shots", InstallationShotsStep()) { pictures }
///     }
/// }
/// ```
public struct Tree<Input: Sendable, Environment: Sendable>: Sendable {
    let root: Node<Input, Environment>
    let plan: Plan

    /// A tree from its root and the root's children.
    ///
    /// Stops the program when two nodes have one name, or a node is declared twice under one parent: both are
    /// mistakes in the declaration, which no run could do anything about.
    public init<S: Step>(
        _ name: String, _ step: S, lane: Lane = .requests, timeLimit: Duration? = nil,
        @Edges<S.Output, Environment> children: () -> [Node<S.Output, Environment>] = { [] }
    ) where S.Input == Input, S.Environment == Environment {
        self.init(root: Node(name, step, lane: lane, timeLimit: timeLimit, children: children))
    }

    /// A tree without a step at its root: the run's input is a list, and each element goes into all of these nodes.
    ///
    /// ```swift
    /// let files = Tree("Files") { Node("document", DocumentStep()) }
    /// let run = Run(files, input: owners, environment: environment)
    /// ```
    public init<Element: Sendable>(
        _ name: String, @Edges<Element, Environment> children: () -> [Node<Element, Environment>]
    ) where Input == [Element] {
        self.init(root: Node(name, GivenStep<Element, Environment>(), children: children))
    }

    private init(root: Node<Input, Environment>) {
        self.root = root
        plan = Plan(root: root.body)
    }

    public var name: String { root.name }

    /// The nodes, depth first in declared order, each once.
    public var nodes: [NodeInfo] { plan.infos }

    /// The edges, parents in the order of ``nodes``, children in declared order.
    public var edges: [EdgeInfo] {
        nodes.flatMap { node in node.children.map { EdgeInfo(parent: node.name, child: $0) } }
    }

    /// The node of that name, if there is one.
    public func node(named name: String) -> NodeInfo? { nodes.first { $0.name == name } }

    /// This tree without the nodes of these names, and without what hangs under none but them. The root stays; a name that
    /// the tree doesn't have changes nothing.
    public func leavingOut(_ names: Set<String>) -> Tree {
        var made: [ObjectIdentifier: any NodeBody] = [:]
        return Tree(root: Node(body: root.body.leavingOut(names, &made)))
    }

    /// The node of that name with all that is under it, for another tree; `nil` if there is none, or it takes in another type.
    public func node<Taken: Sendable>(_ name: String, taking type: Taken.Type) -> Node<Taken, Environment>? {
        guard let body = plan.body(named: name) as? any NodeBody<Taken, Environment> else { return nil }
        return Node(body: body)
    }

    /// The names of all nodes under the node of that name.
    public func names(under name: String) -> Set<String> {
        var found: Set<String> = [], waiting = node(named: name)?.children ?? []
        while let next = waiting.popLast() {
            if found.insert(next).inserted { waiting += node(named: next)?.children ?? [] }
        }
        return found
    }

    /// The step of the node of that name, if there is one and it is of that type.
    public func step<S: Step>(_ name: String, as type: S.Type) -> S? { node(named: name)?.step as? S }
}

/// The root of a tree without a step at its root: puts out each element of the input.
private struct GivenStep<Element: Sendable, Environment: Sendable>: Step {
    func identity(of item: Element) -> String { "" }

    func expand(_ input: [Element], in context: StepContext<Environment>) async throws -> Expansion<Element> {
        Expansion(input)
    }

    func perform(_ item: Element, in context: StepContext<Environment>) async throws -> [Element] { [item] }
}

/// What introspection shows of a node.
public struct NodeInfo: Sendable {
    public let name: String
    public let lane: Lane
    /// The node's own time limit; nil where the run's default holds.
    public let timeLimit: Duration?
    public let step: any Step
    /// The names of the nodes it hangs under, in the order of ``Tree/nodes``. Empty for the root.
    public let parents: [String]
    /// The names of its children, in declared order.
    public let children: [String]

    /// Whether the node hangs under several parents.
    public var isShared: Bool { parents.count > 1 }
}

/// One edge of a tree: what `parent` puts out, `child` takes in.
public struct EdgeInfo: Sendable, Hashable {
    public let parent: String
    public let child: String
}
