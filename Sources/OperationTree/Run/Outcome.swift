/// The result of a run: its state, counts, failures and incomplete lists.
public struct Outcome: Sendable {
    /// How a run ended.
    public enum State: Sendable {
        /// Nothing failed and every list was complete.
        case complete
        /// A failure occurred or was reported, or a list was incomplete. Everything else was done.
        case partial
        /// The root failed, or a ``RunFailure`` ended the run.
        case failed(any Error)
        /// The task that executed the run was cancelled before the run ended.
        case cancelled
    }

    /// How the run ended.
    public let state: State
    /// The counts of every node, by name.
    public let counts: [String: NodeCounts]
    /// The first failures, including reports, in the order in which they became final.
    ///
    /// ``RunConfiguration/failureLimit`` limits their number.
    public let failures: [Failure]
    /// The number of failures that are not in ``failures``.
    public let furtherFailures: Int
    /// The first incomplete lists. ``RunConfiguration/failureLimit`` limits their number.
    public let incompleteLists: [ListReference]
    /// The number of incomplete lists that are not in ``incompleteLists``.
    public let furtherIncompleteLists: Int
    /// The number of events that were dropped because a stream's buffer was full.
    public let droppedEvents: Int
    let lists: [String: [Fingerprint: Bool]]

    /// Whether a list was expanded in this run and was complete every time.
    ///
    /// False for a list that was never reached. A list is complete only if this run read it to its end.
    public func isComplete(node: String, list: String = "") -> Bool {
        lists[node]?[Fingerprint(list)] ?? false
    }

    /// Whether ``state`` is ``State/complete``.
    public var isComplete: Bool { if case .complete = state { true } else { false } }
    /// Whether ``state`` is ``State/partial``.
    public var isPartial: Bool { if case .partial = state { true } else { false } }
    /// Whether ``state`` is ``State/cancelled``.
    public var isCancelled: Bool { if case .cancelled = state { true } else { false } }
    /// The error that failed the run; nil unless ``state`` is ``State/failed(_:)``.
    public var error: (any Error)? { if case .failed(let error) = state { error } else { nil } }
}

/// One failed try of an item, a list or a `finished`, or a failure that a step reported.
public struct Failure: Sendable {
    /// What failed.
    public enum Kind: Sendable {
        /// Performing an item failed.
        case item
        /// Expanding an input, or pulling from its list, failed.
        case list
        /// A step's ``Step/finished(_:_:in:)`` failed.
        case finishing
        /// A step reported the failure. Its item didn't fail.
        case report
    }

    /// What failed.
    public let kind: Kind
    /// The name of the node.
    public let node: String
    /// The identity of the list; see ``Step/listIdentity(of:)``.
    public let list: String
    /// The identity of the item; nil if the list or `finished` failed.
    public let item: String?
    /// The error that was thrown or reported.
    public let error: any Error
}

/// A list, by its node and its identity.
public struct ListReference: Sendable, Hashable {
    /// The name of the node.
    public let node: String
    /// The identity of the list, unique within the node; see ``Step/listIdentity(of:)``.
    public let list: String
}

/// The progress of a run at one node. The counts are exact at the moment they are read.
///
/// `items == running + done + failed + awaitingRetry + abandoned + repeated` holds at any moment.
public struct NodeCounts: Sendable, Equatable {
    /// Creates counts that are all zero.
    public init() {}

    /// Inputs that wait to be expanded.
    public internal(set) var pendingInputs = 0
    /// Inputs whose expansion was begun.
    public internal(set) var lists = 0
    /// Lists that were read to their end and were complete.
    public internal(set) var completeLists = 0
    /// Lists that were incomplete after their last try.
    public internal(set) var incompleteLists = 0
    /// Items that were pulled from lists.
    public internal(set) var items = 0
    /// Items in progress.
    public internal(set) var running = 0
    /// Items that succeeded, at the first or the second try.
    public internal(set) var done = 0
    /// Items that failed at their last try.
    public internal(set) var failed = 0
    /// Items that failed once and wait for their second try.
    public internal(set) var awaitingRetry = 0
    /// Items that were in progress when the run was stopped early.
    public internal(set) var abandoned = 0
    /// Items that another parent of a shared node had reached before. They are not performed again.
    public internal(set) var repeated = 0
    /// Second tries of items and lists that were begun.
    public internal(set) var retried = 0
    /// Outputs of items.
    public internal(set) var emitted = 0
}
