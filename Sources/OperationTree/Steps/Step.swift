/// What happens at a node: turns one input into items, and performs one item.
///
/// `expand` typically sends one list request; `perform` typically fetches one canonical URL and returns what the
/// node's children take in. Every output goes into every child. A step is a value without state of the run: what
/// a run works with (a session, a store) is its ``Environment``, and comes in the context.
///
/// A step that needs no environment is generic over it, and so goes into every tree:
///
/// ```swift
/// struct WordStep<Environment: Sendable>: Step {
///     func expand(_ line: String, in context: StepContext<Environment>) async throws -> Expansion<String> { … }
///     …
/// }
/// ```
///
/// In a tree that has no environment at all it is `Void`.
///
/// Failure is data: whatever `expand` or `perform` throws is reported, makes the scope incomplete, and is tried
/// once more at the end of the run; see ``FinalFailure`` and ``RunFailure`` for the two exceptions.
public protocol Step<Input, Output, Environment>: Sendable {
    /// What the step takes in: an output of its parents.
    associatedtype Input: Sendable
    /// What an input is turned into, one after the other.
    associatedtype Item: Sendable
    /// What performing an item puts out for the children. `Never` or `Void` for a leaf.
    associatedtype Output: Sendable
    /// What the tree's run hands to the step in its context; the same for all steps of a tree.
    associatedtype Environment: Sendable
    /// What ``operations(expanding:in:)`` describes, e.g. an HTTP request.
    associatedtype Operation: Sendable = Never

    /// The items of one input, pulled lazily and never two at once.
    ///
    /// Called once for an input, and once more at the end of the run if it, or a later pull, threw. Default, where the items are
    /// inputs: the input itself.
    func expand(_ input: Input, in context: StepContext<Environment>) async throws -> Expansion<Item>

    /// Performs one item and returns what the children take in.
    ///
    /// Called once for an item, and once more at the end of the run if it threw. What a failed try would have put
    /// out is not seen by the children.
    func perform(_ item: Item, in context: StepContext<Environment>) async throws -> [Output]

    /// The identity of an item within its node: for performing once at shared nodes, failures and events.
    func identity(of item: Item) -> String

    /// A name, unique within the node, for the list that an input expands to. Default: the empty string.
    func listIdentity(of input: Input) -> String

    /// Called once when the expansion of `input` and everything under it has ended, the second tries included.
    ///
    /// Not called in a run that was cancelled or ended by a ``RunFailure`` before. What it throws is a failure of
    /// the scope, and is not tried again. It holds no permit of the lane. Default: does nothing.
    func finished(_ input: Input, _ scope: ScopeOutcome, in context: StepContext<Environment>) async throws

    /// The operations that ``expand(_:in:)`` would send, without sending them. Default: none.
    func operations(expanding input: Input, in context: StepContext<Environment>) -> [Operation]

    /// The operations that ``perform(_:in:)`` would send, without sending them. Default: none.
    func operations(performing item: Item, in context: StepContext<Environment>) -> [Operation]
}

extension Step {
    public func listIdentity(of input: Input) -> String { "" }
    public func finished(_ input: Input, _ scope: ScopeOutcome, in context: StepContext<Environment>)
        async throws
    {}
    public func operations(expanding input: Input, in context: StepContext<Environment>) -> [Operation] { [] }
    public func operations(performing item: Item, in context: StepContext<Environment>) -> [Operation] { [] }
}

extension Step where Input == Item {
    /// What the step takes in is its only item.
    public func expand(_ input: Input, in context: StepContext<Environment>) async throws -> Expansion<Input>
    { .one(input) }
}

extension Step where Item == String {
    /// A string is its own identity.
    public func identity(of item: String) -> String { item }
}

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

/// An error that is not worth another try: it is final at once.
public protocol FinalFailure: Error {}

/// An error that ends the whole run, e.g. a full disk or a missing authorisation.
public protocol RunFailure: Error {}

/// An item, a list or a `finished` took longer than its node allows; it was cancelled and counts as failed.
public struct TimeLimitExceeded: Error, Equatable, CustomStringConvertible {
    public let node: String
    public let limit: Duration

    public init(node: String, limit: Duration) {
        self.node = node
        self.limit = limit
    }

    public var description: String {
        "“\(node)” took longer than \(limit); give the node a longer time limit if that is to be expected"
    }
}
