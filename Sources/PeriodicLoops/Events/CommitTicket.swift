import Synchronization

/// The right of one operation to store what it made. It ends when the loop is disabled, the scheduler reset or gone, or
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
