/// A loop as the engine sees it, whatever its page.
protocol ScheduledLoop: Sendable {
    var loopID: LoopID { get }
    var storedHealth: LoopHealth { get }
    func perform(_ operation: LoopOperation, _ enter: () throws(LoopError) -> Void) async throws -> PageResult
    func onError(_ error: any Error) async -> LoopFailure
    func healthChanged(to health: LoopHealth) async
}

/// One turn of one loop.
final class LoopOperation: Sendable {
    enum Work: Sendable {
        /// Poll, and process what comes.
        case page
        /// Forget the cursor: refresh everything.
        case reset
        /// Nothing is done: this went wrong, and is to be reported.
        case report(LoopError)
    }

    let loop: any ScheduledLoop
    let work: Work
    let ticket = CommitTicket()

    init(_ loop: any ScheduledLoop, _ work: Work) {
        self.loop = loop
        self.work = work
    }
}

/// What came of an operation that ended well.
struct PageResult: Sendable {
    /// Whether there is another page, to which the cursor leads.
    var hasMore = false
    /// Whether something was fetched afresh.
    var isRefresh = false
}

/// The flow that all loops share.
struct LoopFlow<Loop: EventsLoop>: ScheduledLoop {
    let loop: Loop

    var loopID: LoopID { loop.loopID }
    var storedHealth: LoopHealth { loop.storedHealth }

    /// - Parameter enter: Called when there is something to apply; throws if the operation was cancelled.
    func perform(
        _ operation: LoopOperation, _ enter: () throws(LoopError) -> Void
    ) async throws -> PageResult {
        var cursor: String?
        if case .page = operation.work { cursor = try await loop.latestEventID }
        guard let cursor else {
            try enter()
            try await loop.refresh(.everything, answer: nil, ticket: operation.ticket)
            return PageResult(isRefresh: true)
        }
        try operation.ticket.check()
        let page = try await loop.poll(after: cursor)
        try enter()
        let stale = page.refresh.resolved(knowing: loop.refreshableKinds)
        if stale.isEmpty {
            try await loop.process(page, ticket: operation.ticket)
        } else {
            try await loop.refresh(stale, answer: page, ticket: operation.ticket)
        }
        guard page.hasMore else { return PageResult(isRefresh: !stale.isEmpty) }
        try operation.ticket.check()
        if try await loop.latestEventID == cursor { throw LoopError.cursorStuck }
        return PageResult(hasMore: true, isRefresh: !stale.isEmpty)
    }

    func onError(_ error: any Error) async -> LoopFailure { await loop.onError(error) }

    func healthChanged(to health: LoopHealth) async { await loop.healthChanged(to: health) }
}
