/// One turn of one loop.
///
/// `@unchecked Sendable`: what changes of it, and its entry, are only touched under the engine's lock.
final class LoopOperation: @unchecked Sendable {
    enum Work {
        /// Poll, and process what comes.
        case page
        /// Forget the cursor: refresh everything.
        case reset
        /// Report this error, and do nothing else.
        case report(LoopError)
    }

    let entry: LoopEntry
    let work: Work
    let ticket = CommitTicket()
    var activity: LoopStatus.Activity
    /// When it is given up; nil for never.
    var deadline: Duration?
    /// Whether it no longer counts: its result changes nothing.
    var isCancelled = false

    init(_ entry: LoopEntry, _ work: Work) {
        self.entry = entry
        self.work = work
        if case .report = work { activity = .reporting } else { activity = .polling }
    }

    var loop: any EventsLoop { entry.loop }

    /// - Parameter enter: Called when there is something to store; throws if the operation was cancelled.
    func attempt(_ enter: () throws(LoopError) -> Void) async -> Result<PageResult, any Error> {
        do {
            switch work {
            case .page: return .success(try await loop.follow(ticket, enter))
            case .reset: return .success(try await loop.refreshEverything(ticket, enter))
            case .report(let error): return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }
}

/// The result of an operation that succeeded.
struct PageResult: Sendable {
    /// Whether there is another page, to which the cursor leads.
    var hasMore = false
    /// Whether something was fetched afresh.
    var isRefresh = false
}

/// The flow that all loops share.
extension EventsLoop {
    fileprivate func follow(
        _ ticket: CommitTicket, _ enter: () throws(LoopError) -> Void
    ) async throws -> PageResult {
        guard let cursor = try await latestEventID else { return try await refreshEverything(ticket, enter) }
        try ticket.check()
        let page = try await poll(after: cursor)
        try enter()
        let stale = page.refresh.resolved(knowing: refreshableKinds)
        if stale.isEmpty {
            try await process(page, ticket: ticket)
        } else {
            try await refresh(stale, answer: page, ticket: ticket)
        }
        guard page.hasMore else { return PageResult(isRefresh: !stale.isEmpty) }
        try ticket.check()
        if try await latestEventID == cursor { throw LoopError.cursorStuck }
        return PageResult(hasMore: true, isRefresh: !stale.isEmpty)
    }

    fileprivate func refreshEverything(
        _ ticket: CommitTicket, _ enter: () throws(LoopError) -> Void
    ) async throws -> PageResult {
        try enter()
        try await refresh(.everything, answer: nil, ticket: ticket)
        return PageResult(isRefresh: true)
    }
}
