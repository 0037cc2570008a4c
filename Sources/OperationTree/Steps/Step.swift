/// The work of a node: turns one input into items, and performs each item.
///
/// `expand` typically sends one list request. `perform` typically fetches one canonical URL, and returns the inputs of
/// the node's children. Every output is passed to every child.
///
/// A step is a value without state of a run. The objects that a run uses, such as a session and a store, are its
/// ``Environment``, which each call receives in its context.
///
/// A step that needs no environment can be generic over it, and then fits into every tree:
///
/// ```swift
/// struct WordStep<Environment: Sendable>: Step {
///     func expand(_ line: String, in context: StepContext<Environment>) async throws -> Expansion<String> { … }
///     …
/// }
/// ```
///
/// In a tree without an environment, the environment is `Void`.
///
/// Failures are data. An error that `expand` or `perform` throws is recorded, makes the scope incomplete, and leads to
/// a second try at the end of the run. There are two exceptions: ``FinalFailure`` and ``RunFailure``.
public protocol Step<Input, Output, Environment>: Sendable {
    /// The type that the step accepts: the output type of its parents.
    associatedtype Input: Sendable
    /// The type of the items that an input expands to.
    associatedtype Item: Sendable
    /// The type of the values that performing an item returns for the children. `Never` or `Void` for a leaf.
    associatedtype Output: Sendable
    /// The type of the value that a run passes to the steps in their contexts; the same for all steps of a tree.
    associatedtype Environment: Sendable
    /// The type of the operations that the step would send, such as an HTTP request. Default: `Never`.
    associatedtype Operation: Sendable = Never

    /// Returns the items of one input. They are pulled lazily, one at a time.
    ///
    /// Called once for an input. Called again at the end of the run if it, or a later pull, threw. Default, where the items
    /// are inputs: the input itself.
    func expand(_ input: Input, in context: StepContext<Environment>) async throws -> Expansion<Item>

    /// Performs one item, and returns the inputs of the children.
    ///
    /// Called once for an item. Called again at the end of the run if it threw. Outputs of a failed try don't reach
    /// the children.
    func perform(_ item: Item, in context: StepContext<Environment>) async throws -> [Output]

    /// The identity of an item, unique within its node.
    ///
    /// Shared nodes use it to perform an item only once. Failures and events contain it.
    func identity(of item: Item) -> String

    /// The identity of the list that an input expands to, unique within the node. Default: the empty string.
    func listIdentity(of input: Input) -> String

    /// Called once when the expansion of `input` and its whole subtree have ended, including second tries.
    ///
    /// It isn't called if the run was cancelled, or ended by a ``RunFailure``, before. An error that it throws is a
    /// failure of the scope; there is no second try. It doesn't count towards the lane's width. Default: does nothing.
    func finished(_ input: Input, _ scope: SubtreeOutcome, in context: StepContext<Environment>) async throws

    /// Returns the operations that ``expand(_:in:)`` would send, without sending them. Default: none.
    func operations(expanding input: Input, in context: StepContext<Environment>) -> [Operation]

    /// Returns the operations that ``perform(_:in:)`` would send, without sending them. Default: none.
    func operations(performing item: Item, in context: StepContext<Environment>) -> [Operation]
}

extension Step {
    /// The empty string: for steps that expand only one list, or need not tell lists apart.
    public func listIdentity(of input: Input) -> String { "" }
    /// Does nothing.
    public func finished(_ input: Input, _ scope: SubtreeOutcome, in context: StepContext<Environment>)
        async throws
    {}
    /// No operations.
    public func operations(expanding input: Input, in context: StepContext<Environment>) -> [Operation] { [] }
    /// No operations.
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

/// The result of the expansion of one input and of its whole subtree.
public struct SubtreeOutcome: Sendable, Equatable {
    /// Whether the list itself was read to its end and was complete.
    public let listComplete: Bool
    /// The number of items of the list, including items that another parent of a shared node had reached before.
    public let items: Int
    /// The number of these items that failed at their last try.
    public let failedItems: Int
    /// Whether nothing failed and no list was incomplete, in this scope and its subtree.
    public let subtreeComplete: Bool

    /// Creates an outcome; for tests of ``Step/finished(_:_:in:)``.
    public init(listComplete: Bool, items: Int, failedItems: Int, subtreeComplete: Bool) {
        self.listComplete = listComplete
        self.items = items
        self.failedItems = failedItems
        self.subtreeComplete = subtreeComplete
    }
}

/// An error after which a second try is useless. The failure is final at once.
public protocol FinalFailure: Error {}

/// An error that ends the whole run, such as a full disk or a missing authorisation.
public protocol RunFailure: Error {}

/// The failure of an item, a list or a `finished` that took longer than its node's time limit and was cancelled.
public struct TimeLimitExceeded: Error, Equatable, CustomStringConvertible {
    /// The name of the node.
    public let node: String
    /// The time limit that was exceeded.
    public let limit: Duration

    /// Creates the error.
    public init(node: String, limit: Duration) {
        self.node = node
        self.limit = limit
    }

    /// What happened and what to do.
    public var description: String {
        "“\(node)” took longer than its time limit of \(limit). If that is expected, set a longer limit."
    }
}
