/// What a tree says of one of its nodes.
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
