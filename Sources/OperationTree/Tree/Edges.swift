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
/// the compiler says, at the very line: *initializer 'init(_:_:lane:timeLimit:)' requires the types 'Artist' and
/// 'Show' be equivalent*.
@resultBuilder
public enum Edges<Output: Sendable> {
    public static func buildExpression(_ node: Node<Output>) -> [Node<Output>] { [node] }
    public static func buildBlock(_ parts: [Node<Output>]...) -> [Node<Output>] { parts.flatMap { $0 } }
    public static func buildOptional(_ part: [Node<Output>]?) -> [Node<Output>] { part ?? [] }
    public static func buildEither(first part: [Node<Output>]) -> [Node<Output>] { part }
    public static func buildEither(second part: [Node<Output>]) -> [Node<Output>] { part }
    public static func buildArray(_ parts: [[Node<Output>]]) -> [Node<Output>] { parts.flatMap { $0 } }
    public static func buildLimitedAvailability(_ part: [Node<Output>]) -> [Node<Output>] { part }
}
