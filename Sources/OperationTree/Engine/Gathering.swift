/// Something that ends when all that it waits for has ended: a scope, or an item of a shared node.
///
/// `@unchecked Sendable`, as are its subclasses: the engine reads and writes their variables only under its lock.
class Gathering: @unchecked Sendable {
    /// How many things it waits for. Itself counts as one until it has done its own part.
    final var open = 1
    /// Whether nothing failed and no list was incomplete in all that ended so far.
    final var isIntact = true
}

/// The expansion of one input at one place of the tree: the bookkeeping, apart from the typed ``ScopeWork``.
///
/// It waits for its own expansion, its items, what is under them, and second tries.
final class Scope: Gathering, @unchecked Sendable {
    let node: Int
    let depth: Int
    let parent: Gathering?
    let work: any ScopeWork
    /// The order in which scopes came up: among scopes of one depth the oldest goes first.
    var order = 0
    /// Whether its input still waits to be expanded.
    var isPending = true
    /// How often its expansion was tried.
    var tries = 0
    var isListComplete = false
    var items = 0
    var failedItems = 0

    init(node: Int, depth: Int, parent: Gathering?, work: any ScopeWork) {
        self.node = node
        self.depth = depth
        self.parent = parent
        self.work = work
    }

    /// The scope of an input at the node that an edge leads to.
    convenience init<Input, Environment>(
        node place: Plan.Place, depth: Int, parent: Gathering?, input: Input, _ environment: Environment,
        _ edge: Node<Input, Environment>
    ) {
        self.init(
            node: place.index, depth: depth, parent: parent,
            work: edge.body.work(on: input, in: environment, at: place))
    }

    var outcome: ScopeOutcome {
        ScopeOutcome(
            listComplete: isListComplete, items: items, failedItems: failedItems, subtreeComplete: isIntact)
    }
}

/// An item of a node with several parents, from its first reach until all under it has ended. Every scope that
/// reaches it meanwhile waits for it, and learns what became of it.
final class SharedItem: Gathering, @unchecked Sendable {
    let node: Int
    let fingerprint: Fingerprint
    /// The scopes that reached it, the first one included.
    var waiting: [Scope]
    /// Whether it waits for its second try.
    var isParked = false
    /// Whether it failed for good.
    var hasFailed = false

    init(node: Int, fingerprint: Fingerprint, first: Scope) {
        self.node = node
        self.fingerprint = fingerprint
        waiting = [first]
    }
}
