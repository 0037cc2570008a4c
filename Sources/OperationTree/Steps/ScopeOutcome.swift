/// How the expansion of one input, and everything under it, ended.
public struct ScopeOutcome: Sendable, Equatable {
    /// Whether the list itself was read to its end and declared complete.
    public let listComplete: Bool
    /// How many items the list had, those included that another parent of a shared node had reached before.
    public let items: Int
    /// How many of these items failed for good.
    public let failedItems: Int
    /// Whether nothing failed and no list was incomplete, here and anywhere below.
    public let subtreeComplete: Bool

    public init(listComplete: Bool, items: Int, failedItems: Int, subtreeComplete: Bool) {
        self.listComplete = listComplete
        self.items = items
        self.failedItems = failedItems
        self.subtreeComplete = subtreeComplete
    }
}
