/// The common part of a scope and of a shared item: it ends when all its parts have ended.
///
/// `@unchecked Sendable`, as are its subclasses: the engine reads and writes their variables only under its lock.
class CompletionTracker: @unchecked Sendable {
    /// The number of parts that haven't ended. Its own work counts as one part.
    final var openParts = 1
    /// Whether nothing failed and no list was incomplete in the parts that have ended.
    final var isSubtreeComplete = true
}

/// The state of the expansion of one input at one place in the tree. The typed part is in ``ScopeWork``.
///
/// It ends when its expansion, its items, their subtrees and all second tries have ended.
final class Scope: CompletionTracker, @unchecked Sendable {
    let node: Int
    let depth: Int
    let parent: CompletionTracker?
    let work: any ScopeWork
    /// A number that grows with each new scope. Of scopes at one depth, the one with the lowest number runs first.
    var order = 0
    /// Whether the input still waits to be expanded.
    var isPending = true
    /// The number of times that the expansion was tried.
    var tries = 0
    var isListComplete = false
    var items = 0
    var failedItems = 0

    init(node: Int, depth: Int, parent: CompletionTracker?, work: any ScopeWork) {
        self.node = node
        self.depth = depth
        self.parent = parent
        self.work = work
    }

    var outcome: SubtreeOutcome {
        SubtreeOutcome(
            listComplete: isListComplete, items: items, failedItems: failedItems,
            subtreeComplete: isSubtreeComplete)
    }
}

/// An item of a node with several parents, from the time it is first pulled until its whole subtree has ended.
///
/// Each scope that reaches the item in this time waits for it and receives its result.
final class SharedItem: CompletionTracker, @unchecked Sendable {
    let node: Int
    let fingerprint: Fingerprint
    /// The scopes that reached the item, including the first one.
    var waiting: [Scope]
    /// Whether the item waits for its second try.
    var isParked = false
    /// Whether the item failed at its last try.
    var hasFailed = false

    init(node: Int, fingerprint: Fingerprint, first: Scope) {
        self.node = node
        self.fingerprint = fingerprint
        waiting = [first]
    }
}

/// The state of an item of a node with several parents.
enum SharedItemState {
    /// The item or a part of its subtree has not ended.
    case inProgress(SharedItem)
    /// The item and its whole subtree succeeded.
    case complete
    /// The item succeeded, but a part of its subtree failed or was incomplete.
    case incomplete
    /// The item itself failed.
    case failed
}

/// The work of a scope. Each call does its work, reports to the engine, and releases the lane's permit.
protocol ScopeWork: AnyObject, Sendable {
    /// Turns the input into an expansion.
    func expand(_ scope: Scope, on worker: Worker) async
    /// Pulls one item and performs it.
    func advance(_ scope: Scope, on worker: Worker) async
    /// Calls the step's `finished`.
    func finish(_ scope: Scope, on worker: Worker) async
}

/// The second try of a failed item or list, at the end of the run.
typealias Retry = @Sendable (Worker) async -> Void
