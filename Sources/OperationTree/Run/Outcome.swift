/// How a run ended.
public struct Outcome: Sendable {
    public enum State: Sendable {
        /// Nothing failed and every list was complete.
        case complete
        /// Something failed or was reported, or a list was incomplete; the rest was done.
        case partial
        /// The root failed, or a ``RunFailure`` ended the run.
        case failed(any Error)
        /// The task that executed the run was cancelled before it ended.
        case cancelled
    }

    public let state: State
    /// Of every node, by name.
    public let counts: [String: NodeCounts]
    /// The first failures, in the order in which they became final, reports included.
    public let failures: [Failure]
    /// How many failures there were beyond those listed.
    public let furtherFailures: Int
    /// The first lists that were incomplete.
    public let incompleteLists: [ListReference]
    /// How many incomplete lists there were beyond those named.
    public let furtherIncompleteLists: Int
    /// Events that a full buffer dropped.
    public let droppedEvents: Int
    let lists: [String: [Fingerprint: Bool]]

    /// Whether that list was expanded in this run and was complete every time.
    ///
    /// False for what was never reached: a list is complete only if this run saw its end.
    public func isComplete(node: String, list: String = "") -> Bool {
        lists[node]?[Fingerprint(list)] ?? false
    }

    public var isComplete: Bool { if case .complete = state { true } else { false } }
    public var isPartial: Bool { if case .partial = state { true } else { false } }
    public var isCancelled: Bool { if case .cancelled = state { true } else { false } }
    /// The error that failed the run, if it failed.
    public var error: (any Error)? { if case .failed(let error) = state { error } else { nil } }
}

/// A failure that is final.
public struct Failure: Sendable {
    public enum Kind: Sendable {
        /// Performing an item failed.
        case item
        /// Expanding an input, or pulling from its list, failed.
        case list
        /// A step's `finished` failed.
        case finishing
        /// A step reported it, without failing its item.
        case report
    }

    public let kind: Kind
    public let node: String
    /// The identity of the list.
    public let list: String
    /// The identity of the item; nil if the list or its end failed.
    public let item: String?
    public let error: any Error
}

/// A list, by its node and its identity there.
public struct ListReference: Sendable, Hashable {
    public let node: String
    public let list: String
}

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
