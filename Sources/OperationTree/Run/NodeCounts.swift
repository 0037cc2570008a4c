/// How far a run is at one node; exact at the moment it is read.
///
/// `items == running + done + failed + awaitingRetry + abandoned + repeated` holds at any moment.
public struct NodeCounts: Sendable, Equatable {
    /// Nothing has happened yet.
    public init() {}

    /// Inputs that wait to be expanded.
    public internal(set) var pendingInputs = 0
    /// Inputs whose expansion was begun.
    public internal(set) var lists = 0
    /// Lists that were read to their end and complete.
    public internal(set) var completeLists = 0
    /// Lists that are incomplete for good.
    public internal(set) var incompleteLists = 0
    /// Items that came out of lists.
    public internal(set) var items = 0
    /// Items in work now.
    public internal(set) var running = 0
    /// Items that succeeded, at the first or the second try.
    public internal(set) var done = 0
    /// Items that failed for good.
    public internal(set) var failed = 0
    /// Items that failed once and wait for their second try.
    public internal(set) var awaitingRetry = 0
    /// Items that were in work when the run was ended before its time.
    public internal(set) var abandoned = 0
    /// Items that another parent of a shared node had reached before; they are not performed again.
    public internal(set) var repeated = 0
    /// Second tries of items and lists that were begun.
    public internal(set) var retried = 0
    /// What items put out.
    public internal(set) var emitted = 0
}
