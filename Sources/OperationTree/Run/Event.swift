/// What happened in a run just now, for progress displays. Events may be dropped; counts and outcomes never lie.
public enum Event: Sendable {
    /// An input was expanded to a list, of as many items as the step announced.
    case expanded(node: String, list: String, count: Int?)
    /// The first try of an item begins.
    case started(node: String, item: String)
    /// An item put out so many outputs.
    case emitted(node: String, item: String, count: Int)
    /// The second try of an item, or of a list (`item` is nil then), begins.
    case retried(node: String, list: String, item: String?)
    /// A try failed.
    case failed(Failure, willRetry: Bool)
    /// An item succeeded.
    case finished(node: String, item: String)
    /// An input's list and everything under it has ended.
    case closed(node: String, list: String, scope: ScopeOutcome)
}
