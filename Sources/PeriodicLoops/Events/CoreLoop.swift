import Synchronization

/// The main loop of a scheduler, which can enable and disable the special loops through its delegate.
///
/// A core loop typically decides this from the events that it has stored.
public protocol CoreLoop: EventsLoop, AnyObject {
    /// The scheduler of this loop. The loop must not keep it alive; see ``CoreLoopDelegateLink``.
    ///
    /// The scheduler sets it when the scheduler is created. If the loop is used as a special loop, the scheduler sets it
    /// when the loop is enabled.
    var delegate: (any CoreLoopDelegate)? { get set }
}

/// The methods of a scheduler that a core loop can call. All can be called at any time, from any task.
public protocol CoreLoopDelegate: AnyObject, Sendable {
    /// Enables a loop. Returns whether anything changed.
    @discardableResult func enableLoop(_ id: LoopID) -> Bool
    /// Disables a loop. It is removed from the queue; if it runs, it is cancelled and can't commit. Returns whether
    /// anything changed.
    @discardableResult func disableLoop(_ id: LoopID) -> Bool
    /// Queues the core loop now. Returns whether it will be polled.
    @discardableResult func triggerCoreLoop() -> Bool
    /// Queues a loop now. Returns whether it will be polled.
    @discardableResult func triggerLoop(_ id: LoopID) -> Bool
    /// The enabled loops: the core loop first, then special loops in the order in which they were enabled.
    var enabledLoops: [LoopID] { get }
}

/// A weak reference to a core loop's delegate:
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

    /// Creates a link without a delegate.
    public init() {}

    /// The delegate; nil if none was set or it was released.
    public var delegate: (any CoreLoopDelegate)? {
        get { reference.withLock { $0.delegate } }
        set { reference.withLock { $0.delegate = newValue } }
    }
}
