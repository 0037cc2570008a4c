// OperationTree: typed trees of steps, and the engine that runs them.
//
// - A `Step` turns one input into items (`expand`) and performs one item (`perform`). The outputs of an item are the
//   inputs of the children.
// - A `Node` is a named step with a `Lane`. An edge compiles only if the parent's Output is the child's Input.
// - A `Tree` is an immutable value. It is declared once, and can be drawn, inspected and run many times.
// - A `Run` executes a tree once, in an environment. It owns all mutable state, in one `Engine`. The engine's workers
//   always take the deepest work that can run. A synchronous run uses the same engine with one worker.
// - Work that was started is finished before more is expanded, so memory use doesn't grow with the length of lists.
// - Failures are data: see `FinalFailure`, `RunFailure`, `SubtreeOutcome` and `Outcome`.
//
// The target imports only the standard library.

/// An immutable tree of nodes. The root accepts the run's input.
///
/// All steps share one environment, which the run passes to them in their ``StepContext``.
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

    /// Creates a tree from the root's step and the root's children.
    ///
    /// Stops the program if two nodes have the same name, or if a node is declared twice under one parent. Both are
    /// programming errors.
    ///
    /// - Parameters:
    ///   - name: The name of the tree and of its root.
    ///   - step: The root's work.
    ///   - lane: The root's lane. Default: ``Lane/requests``.
    ///   - timeLimit: The root's time limit. Default: nil, the run's limit.
    ///   - children: The root's children, in the order in which a synchronous run visits them.
    public init<S: Step>(
        _ name: String, _ step: S, lane: Lane = .requests, timeLimit: Duration? = nil,
        @Edges<S.Output, Environment> children: () -> [Node<S.Output, Environment>] = { [] }
    ) where S.Input == Input, S.Environment == Environment {
        self.init(root: Node(name, step, lane: lane, timeLimit: timeLimit, children: children))
    }

    /// Creates a tree without a step at its root. The run's input is a list; each element is passed to all these nodes.
    ///
    /// ```swift
    /// let files = Tree("Files") { Node("document", DocumentStep()) }
    /// let run = Run(files, input: owners, environment: environment)
    /// ```
    public init<Element: Sendable>(
        _ name: String, @Edges<Element, Environment> children: () -> [Node<Element, Environment>]
    ) where Input == [Element] {
        self.init(root: Node(name, InputElementsStep<Element, Environment>(), children: children))
    }

    private init(root: Node<Input, Environment>) {
        self.root = root
        plan = Plan(root: root.body)
    }

    /// The name of the tree and of its root.
    public var name: String { root.name }

    /// All nodes, depth first in declared order. A shared node is listed once.
    public var nodes: [NodeInfo] { plan.infos }

    /// All edges: parents in the order of ``nodes``, children in declared order.
    public var edges: [EdgeInfo] {
        nodes.flatMap { node in node.children.map { EdgeInfo(parent: node.name, child: $0) } }
    }

    /// The node of that name; nil if there is none.
    public func node(named name: String) -> NodeInfo? { nodes.first { $0.name == name } }

    /// A copy of this tree without the nodes of these names.
    ///
    /// Descendants that can no longer be reached are removed too. The root is always kept. Unknown names are ignored.
    public func leavingOut(_ names: Set<String>) -> Tree {
        var copies: [ObjectIdentifier: any NodeBody] = [:]
        return Tree(root: Node(body: root.body.leavingOut(names, &copies)))
    }

    /// The node of that name with its subtree, for use in another tree; nil if there is none or its input type differs.
    public func node<Taken: Sendable>(_ name: String, taking type: Taken.Type) -> Node<Taken, Environment>? {
        guard let body = plan.body(named: name) as? any NodeBody<Taken, Environment> else { return nil }
        return Node(body: body)
    }

    /// The names of all descendants of the node of that name; empty if there is no such node.
    public func names(under name: String) -> Set<String> {
        var found: Set<String> = [], waiting = node(named: name)?.children ?? []
        while let next = waiting.popLast() {
            if found.insert(next).inserted { waiting += node(named: next)?.children ?? [] }
        }
        return found
    }

    /// The step of the node of that name; nil if there is no such node or its step has another type.
    public func step<S: Step>(_ name: String, as type: S.Type) -> S? { node(named: name)?.step as? S }
}

/// The root of a tree without a step: outputs each element of the input.
private struct InputElementsStep<Element: Sendable, Environment: Sendable>: Step {
    func identity(of item: Element) -> String { "" }

    func expand(_ input: [Element], in context: StepContext<Environment>) async throws -> Expansion<Element> {
        Expansion(input)
    }

    func perform(_ item: Element, in context: StepContext<Environment>) async throws -> [Element] { [item] }
}

/// A description of a node, for inspection.
public struct NodeInfo: Sendable {
    /// The node's name; unique in the tree.
    public let name: String
    /// The node's lane.
    public let lane: Lane
    /// The node's own time limit; nil if the run's limit applies.
    public let timeLimit: Duration?
    /// The node's step.
    public let step: any Step
    /// The names of the node's parents, in the order of ``Tree/nodes``. Empty for the root.
    public let parents: [String]
    /// The names of the node's children, in declared order.
    public let children: [String]

    /// Whether the node has several parents.
    public var isShared: Bool { parents.count > 1 }
}

/// One edge of a tree: the outputs of `parent` are the inputs of `child`.
public struct EdgeInfo: Sendable, Hashable {
    /// The name of the parent.
    public let parent: String
    /// The name of the child.
    public let child: String
}
