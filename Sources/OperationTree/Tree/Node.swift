/// A named step with a lane, and the nodes that take in what it puts out.
///
/// The same value under several parents is one shared node: what several of them reach is performed once a run.
/// Cycles can't be built, since a node's children must exist before it.
public struct Node<Input: Sendable, Environment: Sendable>: Sendable {
    let body: any NodeBody<Input, Environment>

    /// A node with its children, in the order in which a synchronous run visits them; none for a leaf.
    ///
    /// - Parameters:
    ///   - name: Unique in the tree.
    ///   - timeLimit: For each try of an item, each list request and each pull; nil for the run's default.
    public init<S: Step>(
        _ name: String, _ step: S, lane: Lane = .requests, timeLimit: Duration? = nil,
        @Edges<S.Output, Environment> children: () -> [Node<S.Output, Environment>] = { [] }
    ) where S.Input == Input, S.Environment == Environment {
        body = StepNode(name: name, step: step, lane: lane, timeLimit: timeLimit, edges: children())
    }

    init(body: any NodeBody<Input, Environment>) { self.body = body }

    public var name: String { body.name }
    public var lane: Lane { body.lane }

    /// The operations that the node's step would send for an input, without sending them: those of the list that the input expands
    /// to (``Step/operations(expanding:in:)``), and where the input is itself the item those of performing it.
    ///
    /// - Returns: values of the step's ``Step/Operation``.
    public func operations(for input: Input, in environment: Environment) -> [any Sendable] {
        body.operations(for: input, in: environment)
    }
}

/// Builds the list of a node's children: nodes that take in what the parent puts out.
///
/// `if`, `switch` and `for` may be used. A wrong wiring doesn't compile: where `PartnerStep` puts out artists and
/// `ShowCoverStep` takes in shows,
///
/// ```swift
/// let tree = Tree("Sync", PartnerStep()) {
///     Node("show cover", ShowCoverStep())
/// }
/// ```
///
/// the compiler says, at the very line: *cannot convert value of type 'Node<Show, Sync>' to expected argument type
/// 'Node<Artist, Sync>'*. The same holds for a step of another environment.
///
/// Trees share a sub-tree as a function that returns a node. A function that is marked with `@Edges<Artist, Sync>`
/// returns several: `[Node<Artist, Sync>]`.
@resultBuilder
public enum Edges<Output: Sendable, Environment: Sendable> {
    public typealias Child = Node<Output, Environment>

    public static func buildExpression(_ node: Child) -> [Child] { [node] }
    public static func buildExpression(_ nodes: [Child]) -> [Child] { nodes }
    public static func buildBlock(_ parts: [Child]...) -> [Child] { parts.flatMap { $0 } }
    public static func buildOptional(_ part: [Child]?) -> [Child] { part ?? [] }
    public static func buildEither(first part: [Child]) -> [Child] { part }
    public static func buildEither(second part: [Child]) -> [Child] { part }
    public static func buildArray(_ parts: [[Child]]) -> [Child] { parts.flatMap { $0 } }
    public static func buildLimitedAvailability(_ part: [Child]) -> [Child] { part }
}

/// A queue of limited width that nodes share: no more of their work runs at once than the lane is wide.
///
/// The widths are set in the ``RunConfiguration``.
public struct Lane: Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public init(_ name: String) { self.name = name }

    /// Requests for objects and lists; 16 at once unless the run says otherwise.
    public static let requests = Lane("requests")
    /// Pictures and documents; 8 at once unless the run says otherwise.
    public static let media = Lane("media")

    public var description: String { name }
}
