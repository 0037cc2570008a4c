import Synchronization

/// The loop that everything comes through, and that may switch the others: from what it stored, it enables and disables
/// special loops through its delegate.
public protocol CoreLoop: EventsLoop, AnyObject {
    /// Set by the scheduler when it is made (where the loop is a special one: when that is enabled), which must not be kept
    /// alive by its loop: see ``CoreLoopDelegateLink``.
    var delegate: (any CoreLoopDelegate)? { get set }
}

/// What a core loop may ask of its scheduler. All of it may be called at any time, from any task.
public protocol CoreLoopDelegate: AnyObject, Sendable {
    /// Enables a loop; returns whether that changed anything.
    @discardableResult func enableLoop(_ id: LoopID) -> Bool
    /// Disables a loop: what is queued of it is dropped, what runs is cancelled and can't commit. Returns whether that
    /// changed anything.
    @discardableResult func disableLoop(_ id: LoopID) -> Bool
    /// Asks the core loop's feed as soon as the queue allows; returns whether it will.
    @discardableResult func triggerCoreLoop() -> Bool
    /// Asks one loop's feed as soon as the queue allows; returns whether it will.
    @discardableResult func triggerLoop(_ id: LoopID) -> Bool
    /// What is enabled now: the core loop first, then special loops in the order of enabling.
    var enabledLoops: [LoopID] { get }
}

/// A place for a core loop's delegate that doesn't keep it alive:
///
/// ```swift
/// private let link = CoreLoopDelegateLink()
/// var delegate: (any CoreLoopDelegate)? {
///     get { link.delegate }
///     set { link.delegate = newValue }
/// }
/// ```
public final class CoreLoopDelegateLink: Sendable {
    private struct Reference {
        weak var delegate: (any CoreLoopDelegate)?
    }

    private let reference = Mutex(Reference())

    public init() {}

    public var delegate: (any CoreLoopDelegate)? {
        get { reference.withLock { $0.delegate } }
        set { reference.withLock { $0.delegate = newValue } }
    }
}
