/// A named step with a lane, and the nodes that take in what it puts out.
///
/// The same value under several parents is one shared node: what several of them reach is performed once a run.
/// Cycles can't be built, since a node's children must exist before it.
public struct Node<Input: Sendable, Environment: Sendable>: Sendable {
    let body: any NodeBody<Input, Environment>

    /// A leaf.
    ///
    /// - Parameters:
    ///   - name: Unique in the tree.
    ///   - timeLimit: For each try of an item, each list request and each pull; nil for the run's default.
    public init<S: Step>(
        _ name: String, _ step: S, lane: Lane = .requests, timeLimit: Duration? = nil
    ) where S.Input == Input, S.Environment == Environment {
        body = StepNode(name: name, step: step, lane: lane, timeLimit: timeLimit, edges: [])
    }

    /// A node with children, in the order in which a synchronous run visits them.
    public init<S: Step>(
        _ name: String, _ step: S, lane: Lane = .requests, timeLimit: Duration? = nil,
        @Edges<S.Output, Environment> children: () -> [Node<S.Output, Environment>]
    ) where S.Input == Input, S.Environment == Environment {
        body = StepNode(name: name, step: step, lane: lane, timeLimit: timeLimit, edges: children())
    }

    public var name: String { body.name }
    public var lane: Lane { body.lane }
}
