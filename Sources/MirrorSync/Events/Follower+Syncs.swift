import Foundation
import MirrorStore
import PeriodicLoops

/// Whole syncs, and what follows from how they end.
extension Follower {
    func syncIfDue() async throws {
        let now = setting.now(), hasEdits = try hasEdits(), owes = try owesLists()
        let due = state.withLock { state in
            state.syncing = state.agenda.due(at: now, hasEdits: hasEdits, owes: owes)
            return state.syncing
        }
        guard let due else { return }
        defer { state.withLock { $0.syncing = nil } }
        // The loops wait, rather than to be told that the lock is taken.
        scheduler.suspend()
        defer { scheduler.resume() }
        await scheduler.settled()
        try Task.checkCancellation()
        state.withLock { $0.agenda.began() }
        let summary = await WatchedSync(setting, context.observer, lock: context.lock).run(due)
        context.tally.addStored(summary.requests)
        try judge(summary, due)
    }

    func judge(_ summary: SyncSummary, _ sync: WatchSync) throws {
        switch WatchVerdict(summary, isKnown: true) {
        case .cancelled: throw CancellationError()
        case .ends(let error): context.signals.ends(error)
        case .retries:
            let random = setting.random()
            state.withLock { $0.agenda.failed(at: setting.now(), random: random) }
        case .goesOn:
            let hasEdits = try hasEdits(), owes = try owesLists()
            state.withLock { $0.agenda.succeeded(at: setting.now(), hasEdits: hasEdits, owes: owes) }
            context.failures.withLock { $0 = summary.failures }
            try forgetIdleRun(summary)
            try chooseWay(summary, sync)
            try forgetLoops()
            switchShows()
        }
    }

    /// Events, where the server gave a cursor; else polls, as often as this one's cost allows.
    private func chooseWay(_ summary: SyncSummary, _ sync: WatchSync) throws {
        guard state.withLock({ $0.way }) != .events else {
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
        let cost =
            sync == .poll
            ? PollInterval.Cost(seconds: summary.seconds, requests: summary.requests.sent) : nil
        poll(WatchWay(summary.extensions, hasEvents: false), cost)
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
