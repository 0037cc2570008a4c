import Synchronization

/// A feed of events that is followed with a cursor: what is special about it. What happens when is the same for all, and
/// done by an ``EventsPeriodicScheduler``, for each operation in this order:
///
/// 1. Read ``latestEventID``. Without one, ``refresh(_:answer:ticket:)`` everything, and that is all.
/// 2. ``poll(after:)``, which may take 10 s with the reading.
/// 3. Where the page asks for it, ``refresh(_:answer:ticket:)``; else ``process(_:ticket:)``. Both store the cursor in the
///    transaction that stores what it covers.
/// 4. If the page has more, the loop queues itself again behind the others, provided that the cursor has moved.
///
/// A loop that is refreshed twice in a row rests before it asks again, twice as long each time, until an ordinary page
/// comes: one refresh is enough, and a feed that always asks for it would have its server read out at every tick.
///
/// An error at any step goes to ``onError(_:)``, leaves the cursor where it was, and other loops alone. What it leads to
/// is decided by the ``EscalationPolicy``; ``healthChanged(to:)`` gets the result. Operations of one scheduler never overlap.
/// An operation that is cancelled (its loop disabled, the scheduler reset) calls nothing further, and no error.
public protocol EventsLoop: Sendable {
    associatedtype Page: EventsPage

    /// Unique within the scheduler, and always the same.
    var loopID: LoopID { get }

    /// The cursor: the last event that is stored. Read when an operation begins, never kept. Nil: there is none.
    var latestEventID: String? { get async throws }

    /// The bits of a ``RefreshMask`` that this loop can refresh one by one. Others mean everything. Default: none.
    var refreshableKinds: RefreshMask { get }

    /// What ``healthChanged(to:)`` got last, in an earlier run of the program too. Read when the loop is enabled, so
    /// that a quarantine outlasts a restart. Default: well.
    var storedHealth: LoopHealth { get }

    /// Asks for the page after an event. Should heed cancellation: it is cancelled after 10 s, and if it doesn't return
    /// then, the others go on without it.
    func poll(after eventID: String) async throws -> Page

    /// Applies a page, and stores its cursor, in one transaction that ends with `ticket.check()`. Idempotent.
    func process(_ page: Page, ticket: CommitTicket) async throws

    /// Fetches these kinds again, applies them, and stores a cursor that was taken before; `ticket.check()` ends every
    /// transaction. Readers see the old state until then.
    ///
    /// With some kinds only, the page still reports the others: the loop applies that, too, and stores no cursor beyond
    /// the page's.
    ///
    /// - Parameters:
    ///   - kinds: Known kinds only, or ``RefreshMask/everything``.
    ///   - answer: The page that asked for it; nil if there was no cursor, or the loop was reset after failures.
    func refresh(_ kinds: RefreshMask, answer: Page?, ticket: CommitTicket) async throws

    /// Says what kind of failure an error is, and how to word it. Errors of this module's own are ``LoopError``s.
    func onError(_ error: any Error) async -> LoopFailure

    /// Called after each failure but the last of a feed that is over, and after the first success that follows one: the
    /// place to store it. Not called while a try that was given up has not returned. Default: nothing.
    func healthChanged(to health: LoopHealth) async
}

extension EventsLoop {
    public var refreshableKinds: RefreshMask { [] }

    public var storedHealth: LoopHealth { LoopHealth() }

    public func healthChanged(to health: LoopHealth) async {}
}

/// The name of a loop; unique within its scheduler.
public typealias LoopID = String

/// What the shared flow has to know of a page of events; what is in it is between the loop's `poll` and `process`.
public protocol EventsPage: Sendable {
    /// What must be fetched afresh before events are of use; empty for an ordinary page.
    var refresh: RefreshMask { get }
    /// Whether there is another page, to be asked for at once.
    var hasMore: Bool { get }
}

/// Which kinds of things a cursor is too old for, so that the local copy of them must be fetched afresh.
///
/// What the bits stand for is the loop's business: it names those that it knows in ``EventsLoop/refreshableKinds``. A
/// mask with any other bit set means everything: a loop that doesn't know what is stale can't keep anything.
public struct RefreshMask: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 255: all kinds, and what belongs to none.
    public static let everything = RefreshMask(rawValue: 255)

    /// What a loop refreshes that knows the bits of `known`: those, or everything.
    public func resolved(knowing known: RefreshMask) -> RefreshMask {
        isSubset(of: known) ? self : .everything
    }
}

/// The right of one operation to store what it made. It ends when the loop is disabled, the scheduler reset or released, or
/// the operation given up because it took too long.
///
/// The last statement of every transaction of ``EventsLoop/process(_:ticket:)`` and
/// ``EventsLoop/refresh(_:answer:ticket:)`` is `try ticket.check()`: where it throws, the transaction is rolled back, so
/// page and cursor are stored together or not at all. Where it passes, the page counts as stored before whatever ends
/// the ticket a moment later; ``EventsPeriodicScheduler/settled()`` returns when that transaction, too, is over.
public final class CommitTicket: Sendable {
    private let isRevoked = Atomic(false)

    /// For calling a loop without a scheduler, as tests do.
    public init() {}

    /// Whether ``check()`` would pass.
    public var isValid: Bool { !isRevoked.load(ordering: .acquiring) }

    /// Throws ``LoopError/Code/cancelled`` if nothing of this operation may be stored any more. As often as wanted.
    public func check() throws(LoopError) {
        if !isValid { throw .cancelled }
    }

    /// From here on, ``check()`` throws. Again is harmless.
    public func revoke() { isRevoked.store(true, ordering: .releasing) }
}
