/// One operation of one loop.
///
/// `@unchecked Sendable`: its variables and its entry are used only under the engine's lock.
final class LoopOperation: @unchecked Sendable {
    enum Work {
        /// Poll, then process the page.
        case page
        /// Ignore the cursor, and refresh everything.
        case reset
        /// Only report this error.
        case report(LoopError)
    }

    let entry: LoopEntry
    let work: Work
    let ticket = CommitTicket()
    var activity: LoopStatus.Activity
    /// When the operation is abandoned; nil for never.
    var deadline: Duration?
    /// Whether the operation was cancelled. Its result is ignored.
    var isCancelled = false

    init(_ entry: LoopEntry, _ work: Work) {
        self.entry = entry
        self.work = work
        if case .report = work { activity = .reporting } else { activity = .polling }
    }

    var loop: any EventsLoop { entry.loop }

    /// Does the operation's work.
    ///
    /// - Parameter enter: Called before data is stored. Throws if the operation was cancelled.
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
    /// Whether the feed has another page, and the cursor has moved.
    var hasMore = false
    /// Whether the operation refreshed anything.
    var isRefresh = false
}

/// The steps of an operation, the same for all loops.
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
