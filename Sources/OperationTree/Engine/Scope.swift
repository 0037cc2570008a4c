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

    var outcome: ScopeOutcome {
        ScopeOutcome(
            listComplete: isListComplete, items: items, failedItems: failedItems, subtreeComplete: isIntact)
    }
}

/// An item of a node with several parents, from its first reach until all under it has ended. Every scope that
/// reaches it meanwhile waits for it, and gets its result.
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

/// What became of an item of a node with several parents.
enum SharedFate {
    /// It, or something under it, has not ended.
    case inWork(SharedItem)
    /// It and everything under it succeeded.
    case intact
    /// It succeeded, but something under it failed.
    case damaged
    /// It failed itself.
    case failed
}

/// What there is to do in a scope. Each call does its part, reports to the engine, and gives back the lane's permit.
protocol ScopeWork: AnyObject, Sendable {
    /// Turns the input into an expansion.
    func expand(_ scope: Scope, on worker: Worker) async
    /// Pulls one item and performs it.
    func advance(_ scope: Scope, on worker: Worker) async
    /// Calls the step's `finished`.
    func finish(_ scope: Scope, on worker: Worker) async
}

/// A second try of an item or a list that failed, at the end of the run.
typealias Retry = @Sendable (Worker) async -> Void
