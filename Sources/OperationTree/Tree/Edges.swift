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
