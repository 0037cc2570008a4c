import Synchronization

/// A feed of events that is followed with a cursor.
///
/// An ``EventsPeriodicScheduler`` calls the loop. Each operation has these steps:
///
/// 1. Read ``latestEventID``. If there is no cursor, call ``refresh(_:answer:ticket:)`` for everything, and end.
/// 2. Call ``poll(after:)``. Steps 1 and 2 together may take 10 s.
/// 3. If the page requests a refresh, call ``refresh(_:answer:ticket:)``; otherwise ``process(_:ticket:)``. Both store
///    the cursor in the transaction that stores the data.
/// 4. If the page has more and the cursor has moved, queue the loop again behind the others.
///
/// If an operation refreshes twice in a row, the loop waits before its next try, each time twice as long, until a page
/// requests no refresh. Otherwise, a feed that always requests a refresh would cause a full download at every tick.
///
/// An error at any step is passed to ``onError(_:)``. The cursor doesn't change, and other loops aren't affected. The
/// ``EscalationPolicy`` decides what follows, and ``healthChanged(to:)`` receives the result.
///
/// Operations of one scheduler never overlap. If an operation is cancelled, because its loop was disabled or the
/// scheduler was reset, no further method is called, not even ``onError(_:)``.
public protocol EventsLoop: Sendable {
    /// The type of a page of the feed.
    associatedtype Page: EventsPage

    /// The loop's id. It is unique within the scheduler and never changes.
    var loopID: LoopID { get }

    /// The cursor: the id of the last event that was stored; nil if there is none. Read for each operation.
    var latestEventID: String? { get async throws }

    /// The bits of a ``RefreshMask`` that this loop can refresh separately. Any other bit refreshes everything.
    /// Default: none.
    var refreshableKinds: RefreshMask { get }

    /// The last value passed to ``healthChanged(to:)``, possibly in an earlier run of the program. Default: well.
    ///
    /// It is read when the loop is enabled, so that a quarantine continues after a restart.
    var storedHealth: LoopHealth { get }

    /// Requests the page after an event.
    ///
    /// It is cancelled after 10 s, and should then return. If it doesn't, the other loops continue without it.
    func poll(after eventID: String) async throws -> Page

    /// Applies a page and stores its cursor, in one transaction that ends with `ticket.check()`. Must be idempotent.
    func process(_ page: Page, ticket: CommitTicket) async throws

    /// Fetches these kinds again, applies them, and stores a cursor that was read before the fetch.
    ///
    /// Every transaction ends with `ticket.check()`. Readers see the old state until the transaction is committed.
    ///
    /// If only some kinds are refreshed, the page also contains events of the other kinds. The loop must apply them too,
    /// and must not store a cursor beyond the page's.
    ///
    /// - Parameters:
    ///   - kinds: A subset of ``refreshableKinds``, or ``RefreshMask/everything``.
    ///   - answer: The page that requested the refresh; nil if there was no cursor, or the loop was reset after failures.
    ///   - ticket: The right to commit.
    func refresh(_ kinds: RefreshMask, answer: Page?, ticket: CommitTicket) async throws

    /// Classifies an error and words its message. Errors of this module are ``LoopError`` values.
    func onError(_ error: any Error) async -> LoopFailure

    /// Called when the health has changed, so that the loop can store it. Default: does nothing.
    ///
    /// It is called after each failure, except if the feed has ended, and after the first success that follows a
    /// failure. It isn't called while an abandoned try hasn't returned.
    func healthChanged(to health: LoopHealth) async
}

extension EventsLoop {
    /// None.
    public var refreshableKinds: RefreshMask { [] }

    /// A healthy loop.
    public var storedHealth: LoopHealth { LoopHealth() }

    /// Does nothing.
    public func healthChanged(to health: LoopHealth) async {}
}

/// The id of a loop; unique within its scheduler.
public typealias LoopID = String

/// A page of events. Its contents are known only to the loop's `poll` and `process`.
public protocol EventsPage: Sendable {
    /// The kinds that must be fetched again before events can be applied; empty for an ordinary page.
    var refresh: RefreshMask { get }
    /// Whether there is another page, to be requested at once.
    var hasMore: Bool { get }
}

/// A set of kinds for which the cursor is too old, so that they must be fetched again.
///
/// The loop defines the meaning of the bits, and lists those that it knows in ``EventsLoop/refreshableKinds``. If a mask
/// contains any other bit, everything is refreshed, because the loop can't know what is stale.
public struct RefreshMask: OptionSet, Sendable, Hashable, Codable {
    /// The bits.
    public let rawValue: Int

    /// Creates a mask from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// All kinds, and objects of no kind; 255.
    public static let everything = RefreshMask(rawValue: 255)

    /// The kinds to refresh for a loop that knows the bits of `known`: this mask, or ``everything``.
    public func resolved(knowing known: RefreshMask) -> RefreshMask {
        isSubset(of: known) ? self : .everything
    }
}

/// The right of one operation to commit.
///
/// The ticket is revoked when the loop is disabled, when the scheduler is reset or released, and when the operation
/// exceeds its time limit.
///
/// The last statement of every transaction of ``EventsLoop/process(_:ticket:)`` and
/// ``EventsLoop/refresh(_:answer:ticket:)`` is `try ticket.check()`. If it throws, the transaction is rolled back, so
/// page and cursor are stored together or not at all. If it doesn't throw, the transaction is committed even if the
/// ticket is revoked a moment later. ``EventsPeriodicScheduler/settled()`` waits for such a transaction.
public final class CommitTicket: Sendable {
    private let isRevoked = Atomic(false)

    /// Creates a valid ticket; for calling a loop without a scheduler in tests.
    public init() {}

    /// Whether the ticket is not revoked.
    public var isValid: Bool { !isRevoked.load(ordering: .acquiring) }

    /// Throws ``LoopError/Code/cancelled`` if the ticket was revoked. Can be called any number of times.
    public func check() throws(LoopError) {
        if !isValid { throw .cancelled }
    }

    /// Revokes the ticket: from now on, ``check()`` throws. Idempotent.
    public func revoke() { isRevoked.store(true, ordering: .releasing) }
}
