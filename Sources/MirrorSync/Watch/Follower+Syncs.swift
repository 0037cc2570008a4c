import Foundation
import MirrorStore
import PeriodicLoops

/// Whole syncs, and what follows from how they end.
extension Follower {
    /// The sync that is due now, if there is one.
    func dueSync() throws -> WatchSync? {
        let now = setting.now(), hasEdits = try hasEdits(), owes = try owesLists()
        return state.withLock { $0.agenda.due(at: now, hasEdits: hasEdits, owes: owes) }
    }

    private func hasEdits() throws -> Bool { try context.store.pendingEdits().waiting > 0 }

    /// Whether the feed is followed though lists did not come, which only a whole sync asks for again.
    private func owesLists() throws -> Bool { try context.store.fact(.owedKinds) != nil }

    func syncIfDue() async throws {
        guard let due = try dueSync() else { return }
        state.withLock { $0.syncing = due }
        defer { state.withLock { $0.syncing = nil } }
        try await sync(due)
    }

    /// Runs a whole sync while the loops wait: otherwise they would find the lock taken.
    func sync(_ reason: WatchSync) async throws {
        scheduler.suspend()
        defer { scheduler.resume() }
        await scheduler.settled()
        try Task.checkCancellation()
        state.withLock { $0.agenda.began() }
        let summary = await setting.run(reason)
        setting.tally.addStored(summary.requests)
        switch WatchVerdict(summary, isKnown: true) {
        case .cancelled: throw CancellationError()
        case .ends(let error): ends(error)
        case .retries:
            let random = setting.random()
            state.withLock { $0.agenda.failed(at: setting.now(), random: random) }
        case .goesOn:
            let hasEdits = try hasEdits(), owes = try owesLists()
            state.withLock { $0.agenda.succeeded(at: setting.now(), hasEdits: hasEdits, owes: owes) }
            context.failures.withLock { $0 = summary.failures }
            try forgetIdleRun(summary)
            chooseWay(summary, reason)
            try forgetLoops()
            switchShows()
        }
    }

    /// Events, where the server gave a cursor; else polls, as often as this one's cost allows.
    private func chooseWay(_ summary: SyncSummary, _ sync: WatchSync) {
        guard way != .events else {
            bringBackCore()
            scheduler.triggerCoreLoop()
            return
        }
        if summary.hasCursor {
            follow()
            bringBackCore()
            scheduler.triggerAll()
            return
        }
        let cost = PollInterval.Cost(seconds: summary.seconds, requests: summary.requests.sent)
        poll(WatchWay(summary.extensions, hasEvents: false), sync == .poll ? cost : nil)
    }

    /// The log keeps one of several runs in a row that found nothing to do.
    private func forgetIdleRun(_ summary: SyncSummary) throws {
        let isIdle = summary.outcome == .complete && !summary.hasChanges && summary.problems.isEmpty
        let before = state.withLock { state in
            defer { state.idleRun = isIdle ? summary.run : nil }
            return isIdle ? state.idleRun : nil
        }
        if let before { try context.store.forgetIdleRun(before) }
    }
}
