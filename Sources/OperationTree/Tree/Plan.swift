/// A tree laid out for the engine: nodes by index, depth first in declared order.
struct Plan: Sendable {
    /// A node's index and those of its children.
    struct Place: Sendable {
        let index: Int
        let children: [Int]
        let isShared: Bool
    }

    private var bodies: [any NodeBody] = []
    private(set) var places: [Place] = []
    private(set) var infos: [NodeInfo] = []
    /// The indices of the nodes at each depth. A shared node may be at several depths.
    private(set) var levels: [[Int]] = []

    init(root: any NodeBody) {
        var indices: [ObjectIdentifier: Int] = [:]
        visit(root, &indices)
        let children = bodies.map { body in body.children.map { indices[ObjectIdentifier($0), default: 0] } }
        var parents = [[Int]](repeating: [], count: bodies.count)
        for (parent, children) in children.enumerated() {
            for child in children { parents[child].append(parent) }
        }
        for (index, body) in bodies.enumerated() {
            places.append(Place(index: index, children: children[index], isShared: parents[index].count > 1))
            infos.append(
                NodeInfo(
                    name: body.name, lane: body.lane, timeLimit: body.timeLimit, step: body.anyStep,
                    parents: parents[index].map { bodies[$0].name },
                    children: children[index].map { bodies[$0].name }))
        }
        var level = [0]
        while !level.isEmpty {
            levels.append(level)
            level = Set(level.flatMap { children[$0] }).sorted()
        }
        checkNames()
    }

    func body(named name: String) -> (any NodeBody)? { bodies.first { $0.name == name } }

    private mutating func visit(_ body: any NodeBody, _ indices: inout [ObjectIdentifier: Int]) {
        guard indices[ObjectIdentifier(body)] == nil else { return }
        indices[ObjectIdentifier(body)] = bodies.count
        bodies.append(body)
        for child in body.children { visit(child, &indices) }
    }

    private func checkNames() {
        var names: Set<String> = []
        for node in infos {
            precondition(
                names.insert(node.name).inserted,
                "Two nodes of one tree are named “\(node.name)”. Give them different names, "
                    + "or declare the node once and place it under both parents.")
            precondition(
                Set(node.children).count == node.children.count,
                "A node is declared twice under “\(node.name)”. Remove one of them.")
        }
    }
}

/// The object behind a ``Node``. The same body under two parents is one shared node.
protocol NodeBody<Input, Environment>: AnyObject, Sendable {
    associatedtype Input: Sendable
    associatedtype Environment: Sendable
    var name: String { get }
    var lane: Lane { get }
    var timeLimit: Duration? { get }
    var anyStep: any Step { get }
    var children: [any NodeBody] { get }
    /// The work for one input. `place` is the node's place in the plan.
    func work(on input: Input, in environment: Environment, at place: Plan.Place) -> any ScopeWork
    /// The operations that the step would send for an input.
    func operations(for input: Input, in environment: Environment) -> [any Sendable]
    /// A copy without the descendants of these names. `copies` maps each node to its copy, so that a shared node is
    /// copied once.
    func leavingOut(_ names: Set<String>, _ copies: inout [ObjectIdentifier: any NodeBody])
        -> any NodeBody<Input, Environment>
}

/// A node with the type of its step and typed edges to its children.
final class StepNode<S: Step>: NodeBody {
    let name: String
    let step: S
    let lane: Lane
    let timeLimit: Duration?
    let edges: [Node<S.Output, S.Environment>]

    init(name: String, step: S, lane: Lane, timeLimit: Duration?, edges: [Node<S.Output, S.Environment>]) {
        self.name = name
        self.step = step
        self.lane = lane
        self.timeLimit = timeLimit
        self.edges = edges
    }

    var anyStep: any Step { step }
    var children: [any NodeBody] { edges.map { $0.body } }

    func leavingOut(_ names: Set<String>, _ copies: inout [ObjectIdentifier: any NodeBody])
        -> any NodeBody<S.Input, S.Environment>
    {
        if let node = copies[ObjectIdentifier(self)] as? StepNode<S> { return node }
        var kept: [Node<S.Output, S.Environment>] = []
        for edge in edges where !names.contains(edge.name) {
            kept.append(Node(body: edge.body.leavingOut(names, &copies)))
        }
        let node = StepNode(name: name, step: step, lane: lane, timeLimit: timeLimit, edges: kept)
        copies[ObjectIdentifier(self)] = node
        return node
    }

    func work(on input: S.Input, in environment: S.Environment, at place: Plan.Place) -> any ScopeWork {
        StepWork(node: self, place: place, input: input, environment: environment)
    }

    func operations(for input: S.Input, in environment: S.Environment) -> [any Sendable] {
        let context = StepContext(node: name, environment: environment)
        let listing = step.operations(expanding: input, in: context)
        return listing + ((input as? S.Item).map { step.operations(performing: $0, in: context) } ?? [])
    }
}
