/// A named step with a lane, and the child nodes that its outputs are passed to.
///
/// The same value under several parents is one shared node. An item that several parents reach is performed once per
/// run. Cycles can't be built, because a node's children must exist before the node.
public struct Node<Input: Sendable, Environment: Sendable>: Sendable {
    let body: any NodeBody<Input, Environment>

    /// Creates a node with its children.
    ///
    /// - Parameters:
    ///   - name: The node's name; unique in the tree.
    ///   - step: The work of the node.
    ///   - lane: The queue that limits how much of the node's work runs at the same time.
    ///   - timeLimit: Takes precedence over ``RunConfiguration/timeLimit``. Default: nil, the run's limit.
    ///   - children: The child nodes, in the order in which a synchronous run visits them; none for a leaf.
    public init<S: Step>(
        _ name: String, _ step: S, lane: Lane = .requests, timeLimit: Duration? = nil,
        @Edges<S.Output, Environment> children: () -> [Node<S.Output, Environment>] = { [] }
    ) where S.Input == Input, S.Environment == Environment {
        body = StepNode(name: name, step: step, lane: lane, timeLimit: timeLimit, edges: children())
    }

    init(body: any NodeBody<Input, Environment>) { self.body = body }

    /// The node's name; unique in the tree.
    public var name: String { body.name }
    /// The queue that limits how much of the node's work runs at the same time.
    public var lane: Lane { body.lane }

    /// The operations that the node's step would send for an input. Nothing is sent.
    ///
    /// These are the operations of the list that the input expands to (``Step/operations(expanding:in:)``). If the
    /// input has the type of the step's items, the operations of performing it follow.
    ///
    /// - Returns: Values of the step's ``Step/Operation``.
    public func operations(for input: Input, in environment: Environment) -> [any Sendable] {
        body.operations(for: input, in: environment)
    }
}

/// Builds the list of a node's children: nodes whose input type is the parent's output type.
///
/// `if`, `switch` and `for` can be used. An edge between different types doesn't compile. For example, if
/// `PartnerStep` outputs artists and `ShowCoverStep` accepts shows, then for
///
/// ```swift
/// let tree = Tree("Sync", PartnerStep()) {
///     Node("show cover", ShowCoverStep())
/// }
/// ```
///
/// the compiler reports at that line: *cannot convert value of type 'Node<Show, Sync>' to expected argument type
/// 'Node<Artist, Sync>'*. A step with another environment is rejected in the same way.
///
/// To share a sub-tree between trees, write a function that returns a node. A function that is marked with
/// `@Edges<Artist, Sync>` returns several nodes: `[Node<Artist, Sync>]`.
@resultBuilder
public enum Edges<Output: Sendable, Environment: Sendable> {
    /// A node that accepts the parent's outputs.
    public typealias Child = Node<Output, Environment>

    /// One child.
    public static func buildExpression(_ node: Child) -> [Child] { [node] }
    /// Several children, such as the result of a function that is marked with `@Edges`.
    public static func buildExpression(_ nodes: [Child]) -> [Child] { nodes }
    /// The children of consecutive statements.
    public static func buildBlock(_ parts: [Child]...) -> [Child] { parts.flatMap { $0 } }
    /// The children of an `if` without `else`.
    public static func buildOptional(_ part: [Child]?) -> [Child] { part ?? [] }
    /// The children of an `if` branch, or of the first cases of a `switch`.
    public static func buildEither(first part: [Child]) -> [Child] { part }
    /// The children of an `else` branch, or of the last cases of a `switch`.
    public static func buildEither(second part: [Child]) -> [Child] { part }
    /// The children of all iterations of a `for` loop.
    public static func buildArray(_ parts: [[Child]]) -> [Child] { parts.flatMap { $0 } }
    /// The children of an `if #available`.
    public static func buildLimitedAvailability(_ part: [Child]) -> [Child] { part }
}

/// A queue of limited width that nodes share. The width is the maximum number of pieces of work that run at the same time.
///
/// The widths are set in the ``RunConfiguration``.
public struct Lane: Hashable, Sendable, CustomStringConvertible {
    /// The lane's name. Lanes with the same name are the same lane.
    public let name: String

    /// Creates a lane with a name.
    public init(_ name: String) { self.name = name }

    /// Requests for objects and lists. Default width: 16.
    public static let requests = Lane("requests")
    /// Downloads of pictures and documents. Default width: 8.
    public static let media = Lane("media")

    /// The lane's name.
    public var description: String { name }
}
