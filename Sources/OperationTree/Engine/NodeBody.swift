/// What a ``Node`` refers to. Its identity is the node's: the same body under two parents is one shared node.
protocol NodeBody<Input, Environment>: AnyObject, Sendable {
    associatedtype Input: Sendable
    associatedtype Environment: Sendable
    var name: String { get }
    var lane: Lane { get }
    var timeLimit: Duration? { get }
    var anyStep: any Step { get }
    var children: [any NodeBody] { get }
    /// The work of one input, under the index that the plan gave the node.
    func work(on input: Input, in environment: Environment, at place: Plan.Place) -> any ScopeWork
}

/// A node with its step's type, and with the typed edges to its children.
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

    func work(on input: S.Input, in environment: S.Environment, at place: Plan.Place) -> any ScopeWork {
        StepWork(node: self, place: place, input: input, environment: environment)
    }
}
