import Foundation
import MirrorStore
import PeriodicLoops

/// Something that happened while a mirror is watched.
public enum WatchEvent: Sendable {
    /// A sync begins; what happens in it is reported to the monitor that ``WatchObserver`` made for it.
    case syncBegan(WatchSync)
    /// A sync has ended, in whatever way. It is tried again later unless ``Watch/run(_:)`` throws.
    case syncEnded(WatchSync, SyncSummary)
    /// How the mirror is kept current from now on.
    case following(WatchWay, interval: Duration)
    /// A page of events, or a refresh that one asked for, was stored, with its cursor.
    case pageApplied(WatchedPage)
    /// What a page brought, item by item, before its ``pageApplied(_:)``; files of pictures and documents as they come.
    case item(kind: String, id: String, action: String, bytes: Int64?)
    /// A loop is asked from now on, or its state changed.
    case loopChanged(LoopRecord)
    /// A loop has ended: its show has ended or gone.
    case loopEnded(id: String)
    /// A person has paused the watch at that time: it begins nothing until ``resumed``. What runs goes on to its end.
    case paused(since: String)
    /// The watch goes on after a pause.
    case resumed
    /// Something went wrong and the watch goes on: a bad object, a server that can't be reached.
    case problem(Problem)
}

/// Why a sync is run by a watch.
public enum WatchSync: String, Sendable, Hashable, CaseIterable {
    /// The first, before anything is followed.
    case first
    /// Once a day, for changes without events.
    case daily
    /// Local edits wait to be pushed.
    case edits
    /// The server has no events, so it is asked at intervals.
    case poll
}

/// How a watch learns of changes: the cheapest way that the server offers; called like the extension, the cheapest first.
public enum WatchWay: String, Sendable, Hashable, CaseIterable {
    case events
    /// Syncs at intervals, by what changed since the last.
    case since
    /// Syncs at intervals, by lists with validators.
    case validators
    /// Syncs at intervals, by everything's canonical URLs.
    case tree
}

/// What one page of events, or one refresh, did to the mirror.
public struct WatchedPage: Sendable {
    /// The loop whose page it was: `partner`, or `show:` and the show's id.
    public let loop: String
    /// The run under which the changes are in the log; `nil` if nothing changed.
    public let run: Int64?
    /// How many events the page had, folded; of a refresh 0.
    public let events: Int
    /// Whether everything of some kinds was listed, because the cursor was too old.
    public let isRefresh: Bool
    /// By kind, in the API's singular names; only what changed.
    public let objects: [String: SyncSummary.Count]
    /// Objects that could not be taken: they are requested again later.
    public let problems: [Problem]
    /// From the answer to the commit; of a refresh all of it.
    public let duration: Duration
}

/// Receives what happens while a mirror is watched.
public struct WatchObserver: Sendable {
    let monitor: @Sendable (WatchSync) -> SyncMonitor
    let handler: @Sendable (WatchEvent) -> Void

    /// - Parameters:
    ///   - monitor: makes what watches a sync that is about to begin.
    ///   - handler: called for every event, on the task in which it happens; it must be quick, and may be called from several
    ///     tasks at once.
    public init(
        monitor: @escaping @Sendable (WatchSync) -> SyncMonitor = { _ in SyncMonitor() },
        handler: @escaping @Sendable (WatchEvent) -> Void = { _ in }
    ) {
        self.monitor = monitor
        self.handler = handler
    }
}

/// The state of a watch at one moment.
public struct WatchStatus: Sendable {
    public enum Phase: Sendable, Hashable {
        case notStarted
        case syncing(WatchSync)
        /// The first sync failed in a way that may pass.
        case retrying(at: Date)
        case following
        /// A person has it paused.
        case paused
        case stopped
    }

    /// One loop that is asked.
    public struct Loop: Sendable, Hashable, Identifiable {
        /// `partner`, `show:` and the show's id, or `poll`; or the id of an app's own loop.
        public let id: String
        /// `nil` for an app's own loop.
        public let kind: LoopRecord.Kind?
        public let activity: LoopStatus.Activity
        public let health: LoopHealth.State
        /// What the last failure said; `nil` after a success.
        public let message: String?
        /// When it last went well in this watch.
        public let lastSuccess: Date?
        /// When it is asked next.
        public let next: Date?
    }

    public var phase = Phase.notStarted
    /// `nil` before the first sync has ended.
    public var way: WatchWay?
    /// From one request to the next.
    public var interval: Duration?
    /// The core loop first, or the one of polls where there are no events; then shows' and an app's own, in the order in which they
    /// were enabled.
    public var loops: [Loop] = []
    /// When the next whole sync is due.
    public var nextSync: Date?
    /// Objects whose pictures or documents are still to be looked at.
    public var waitingFiles = 0
    /// Counted in this watch, stored or not: `requests`, `not_modified`, `failures`, `bytes`, `pages`, `objects`.
    public var tally: [String: Int] = [:]
}

extension Follower {
    /// Fills in what a follower knows.
    func add(to status: inout WatchStatus) {
        let (agenda, way, syncing, isPaused) = state.withLock {
            ($0.agenda, $0.way, $0.syncing, $0.pausedAt != nil)
        }
        status.phase = syncing.map(WatchStatus.Phase.syncing) ?? (isPaused ? .paused : .following)
        status.way = way
        status.interval = way == .events ? setting.interval : agenda.pollInterval
        status.nextSync = agenda.next
        status.waitingFiles = context.files.count
        setting.tally.update(from: context.session.statistics)
        let scheduled = scheduler.status
        let loops = scheduled.loops.map { loop($0, tick: scheduled.nextTick) }
        status.loops = way == .events ? loops : [poll(agenda)] + loops.filter { $0.kind == nil }
    }

    private func loop(_ loop: LoopStatus, tick: Duration?) -> WatchStatus.Loop {
        let next = [loop.health.nextTry, tick].compactMap(\.self).max()
        return WatchStatus.Loop(
            id: loop.id, kind: LoopRecord.kind(ofLoop: loop.id), activity: loop.activity,
            health: loop.health.state, message: loop.health.lastError,
            lastSuccess: loop.lastSuccess.map(context.date), next: next.map(context.date))
    }

    private func poll(_ agenda: SyncAgenda) -> WatchStatus.Loop {
        WatchStatus.Loop(
            id: LoopRecord.pollID, kind: .poll, activity: .waiting,
            health: agenda.notBefore == nil ? .well : .backingOff, message: nil, lastSuccess: nil,
            next: agenda.next)
    }
}
