import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Runs syncs of all kinds, and acts on their results.
extension Follower {
    /// The sync that is due now, if there is one.
    func dueSync() throws -> WatchSync? {
        let now = setting.now(), hasEdits = try hasEdits(), hasMissingLists = try hasMissingLists()
        return state.withLock { $0.agenda.due(at: now, hasEdits: hasEdits, hasMissingLists: hasMissingLists) }
    }

    /// Whether local edits wait to be pushed. A described source accepts none.
    private func hasEdits() throws -> Bool {
        try way != .source && context.store.pendingEdits().waiting > 0
    }

    /// Whether the last syncs could not get all lists. Events don't replace a list: only a sync of all kinds requests it again.
    ///
    /// A described source is asked for them again at its interval, which keeps within its budget.
    private func hasMissingLists() throws -> Bool {
        try way != .source && !context.store.kindsToListAgain.isEmpty
    }

    /// Runs the sync that is due now, if its reason is one of these.
    func syncIfDue(_ reasons: Set<WatchSync>) async throws {
        guard let due = try dueSync(), reasons.contains(due) else { return }
        state.withLock { $0.syncing = due }
        defer { state.withLock { $0.syncing = nil } }
        try await sync(due)
    }

    /// Runs a sync of all kinds. The loops are suspended meanwhile: otherwise they would fail because the run lock is taken.
    func sync(_ reason: WatchSync) async throws {
        hold(.sync)
        defer { release(.sync) }
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
        case .waits(let until):
            let random = setting.random()
            state.withLock { $0.agenda.failed(at: setting.now(), random: random, until: until) }
        case .continues:
            let hasEdits = try hasEdits(), hasMissingLists = try hasMissingLists()
            state.withLock {
                $0.agenda.succeeded(at: setting.now(), hasEdits: hasEdits, hasMissingLists: hasMissingLists)
            }
            context.failures.withLock { $0 = summary.failures }
            try forgetIdleRun(summary)
            chooseWay(summary, reason)
            try core.forgetEndedShows()
            updateShowLoops()
        }
    }

    /// Follows events if the sync got a cursor; otherwise polls, as often as the cost of this sync allows.
    private func chooseWay(_ summary: SyncSummary, _ sync: WatchSync) {
        if way == .events {
            reenableCore()
            scheduler.triggerCoreLoop()
        } else if summary.hasCursor {
            follow()
            reenableCore()
            scheduler.triggerAll()
        } else {
            let way = WatchWay(summary, hasEvents: false)
            // Each sync of a source sends about the same number of requests.
            poll(way, sync == .poll || way == .source ? summary : nil)
        }
    }

    /// Keeps only the latest of consecutive runs that found nothing to do in the log.
    private func forgetIdleRun(_ summary: SyncSummary) throws {
        let isIdle = summary.outcome == .complete && !summary.hasChanges && summary.problems.isEmpty
        let before = state.withLock { state in
            defer { state.idleRun = isIdle ? summary.run : nil }
            return isIdle ? state.idleRun : nil
        }
        if let before { try context.store.forgetIdleRun(before) }
    }

    // MARK: - Events or polls

    /// Follows events from now on.
    func follow() {
        state.withLock { state in
            state.way = .events
            state.agenda.poll(every: nil, from: setting.now())
        }
        context.reporting("poll") { try context.store.forgetLoops([LoopRecord.pollID]) }
        context.notify(.following(.events, interval: setting.interval))
    }

    /// Polls from now on: syncs at intervals.
    ///
    /// - Parameter last: the last poll; `nil` if there was none.
    func poll(_ way: WatchWay, _ last: SyncSummary? = nil) {
        let interval = way.interval(after: last, least: setting.interval), now = setting.now()
        let hasChanged = state.withLock { state in
            // An interval between half and twice the reported one isn't reported again.
            let reported = state.reportedInterval
            let hasChanged =
                state.way != way || reported.map { interval > $0 * 2 || interval * 2 < $0 } ?? true
            if hasChanged { state.reportedInterval = interval }
            state.way = way
            state.agenda.poll(every: interval, from: now)
            return hasChanged
        }
        let seconds = Int(interval / .seconds(1))
        let health: JSONObject = ["way": .string(way.rawValue), "interval": .integer(seconds)]
        context.note(
            LoopRecord(
                id: LoopRecord.pollID, kind: .poll, lastAt: last.map { _ in CatalogueStore.text(of: now) },
                message: way == .source
                    ? "a sync of the source every \(seconds) s, within its budget"
                    : "the server has no events: a sync by \(way.rawValue) every \(seconds) s",
                nextAt: CatalogueStore.text(of: now.addingTimeInterval(Double(seconds))),
                health: health.canonicalText))
        if hasChanged { context.notify(.following(way, interval: interval)) }
    }

    /// Polls from now on, because the server offers events, but its feed can't be read.
    func pollInstead() {
        for id in scheduler.enabledLoops where LoopRecord.show(ofLoop: id) != nil {
            scheduler.disableLoop(id)
        }
        context.reporting(LoopRecord.coreID) {
            try context.store.forgetLoops(context.store.loops().map(\.id))
        }
        poll(WatchWay(context.extensions, hasEvents: false))
    }
}

extension WatchWay {
    /// The way after a sync.
    init(_ sync: SyncSummary, hasEvents: Bool) {
        self = sync.pace == nil ? WatchWay(sync.extensions, hasEvents: hasEvents) : .source
    }

    /// The cheapest way that a server with these extensions offers.
    init(_ extensions: Set<String>, hasEvents: Bool) {
        let ways = Self.allCases.filter { $0 != .source && ($0 != .events || hasEvents) }
        self = ways.first { extensions.contains($0.rawValue) } ?? .tree
    }
}

/// Decides whether a watch continues after a sync.
enum WatchVerdict: Sendable {
    case continues
    /// The sync failed for a reason that is probably temporary.
    case retries
    /// The source allows no further requests until this time.
    case waits(until: Date)
    /// The sync failed for a reason that only a person can fix.
    case ends(any Error)
    case cancelled

    /// - Parameters:
    ///   - summary: how the sync ended.
    ///   - isKnown: whether the mirror has been synced from this server before. Then "no such partner" is probably the fault of
    ///     a proxy in front of the server, and temporary.
    init(_ summary: SyncSummary, isKnown: Bool) {
        switch summary.outcome {
        case .partial where (summary.cause as? SyncError)?.code == .paused:
            self = summary.continuesAt.map(WatchVerdict.waits) ?? .retries
        case .complete, .partial, .guarded: self = .continues
        case .cancelled: self = .cancelled
        case .failed: self = summary.cause.map { Self.judge($0, isKnown: isKnown) } ?? .retries
        }
    }

    private static func judge(_ error: any Error, isKnown: Bool) -> WatchVerdict {
        switch error {
        case let error as SyncError:
            switch error.code {
            case .unknownPartner: isKnown ? .retries : .ends(error)
            case .notAuthorised, .otherOrigin, .catalogue, .source, .ended: .ends(error)
            default: (error.cause as? StoreError).map { judge($0, isKnown: isKnown) } ?? .retries
            }
        case let error as StoreError:
            switch error.code {
            case .locked, .diskFull, .unexpected: .retries
            default: .ends(error)
            }
        case is CancellationError: .cancelled
        default: .retries
        }
    }
}
