import Foundation
import MirrorStore
import PeriodicLoops

/// Something that happened while a mirror is watched.
public enum WatchEvent: Sendable {
    /// A sync begins. Its progress is reported to the monitor that ``WatchObserver`` made for it.
    case syncBegan(WatchSync)
    /// A sync has ended, successfully or not. A failed sync is tried again later unless ``Watch/run(_:)`` throws.
    case syncEnded(WatchSync, SyncSummary)
    /// The mirror is kept current in this way from now on.
    case following(WatchWay, interval: Duration)
    /// A page of events was stored with its cursor, or a refresh that the page required.
    case pageApplied(WatchedPage)
    /// One change of a page, before its ``pageApplied(_:)``; or one file of a picture or document, when it is stored.
    case item(kind: String, id: String, action: String, bytes: Int64?)
    /// A loop was enabled, or its state changed.
    case loopChanged(LoopRecord)
    /// A show's loop has ended, because the show has ended or was removed.
    case loopEnded(id: String)
    /// The watch was paused at this time. Running work continues to its end, and nothing new begins until ``resumed``.
    case paused(since: String)
    /// The watch continues after a pause.
    case resumed
    /// A problem that doesn't end the watch, such as an unusable object or a server that can't be reached.
    case problem(Problem)
}

/// The reason why a watch runs a sync.
public enum WatchSync: String, Sendable, Hashable, CaseIterable {
    /// The first sync, before anything is followed.
    case first
    /// The daily sync, for changes without events.
    case daily
    /// Local edits wait to be pushed.
    case edits
    /// The server has no events, or is a described source, so the watch syncs at intervals.
    case poll
}

/// The way in which a watch learns of changes: the cheapest that the server offers.
///
/// The cases are named like the API's extensions, and sorted from the cheapest to the most expensive.
public enum WatchWay: String, Sendable, Hashable, CaseIterable {
    /// Feeds of events.
    case events
    /// Syncs at intervals, which request the changes since the last sync.
    case since
    /// Syncs at intervals, which compare the validators in the lists.
    case validators
    /// Syncs at intervals, which request every object conditionally.
    case tree
    /// Syncs of a described source, at intervals that keep within its budget.
    case source
}

/// The changes that one page of events, or one refresh, made to the mirror.
public struct WatchedPage: Sendable {
    /// The id of the page's loop: `partner`, or `show:` and the show's id.
    public let loop: String
    /// The run under which the changes are logged; `nil` if nothing changed.
    public let run: Int64?
    /// The number of events, after several of one object were folded into one; 0 for a refresh.
    public let events: Int
    /// Whether the lists of some kinds were requested, because the cursor was too old.
    public let isRefresh: Bool
    /// The counts of changed objects by kind, in the API's singular names. Kinds without changes are left out.
    public let objects: [String: SyncSummary.Count]
    /// Objects that could not be fetched or stored; they are requested again later.
    public let problems: [Problem]
    /// From the answer to the commit; for a refresh, from its first request.
    public let duration: Duration
}

/// Receives the events of a watch.
public struct WatchObserver: Sendable {
    let monitor: @Sendable (WatchSync) -> SyncMonitor
    let handler: @Sendable (WatchEvent) -> Void

    /// - Parameters:
    ///   - monitor: makes the monitor of a sync that is about to begin. Default: one that ignores everything.
    ///   - handler: called for every event, on the task in which it happens. It must return quickly, and may be called from
    ///     several tasks at once.
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
    /// The phases of a watch.
    public enum Phase: Sendable, Hashable {
        /// ``Watch/run(_:)`` was not called yet.
        case notStarted
        /// A sync of all kinds runs.
        case syncing(WatchSync)
        /// The first sync failed for a temporary reason, or the source allows no further requests for now. The sync is retried
        /// at this time.
        case retrying(at: Date)
        /// Feeds are followed, or syncs run at intervals.
        case following
        /// The watch is paused.
        case paused
        /// ``Watch/run(_:)`` has ended.
        case stopped
    }

    /// One enabled loop.
    public struct Loop: Sendable, Hashable, Identifiable {
        /// `partner`, `show:` and the show's id, or `poll`; or the id of an app's own loop.
        public let id: String
        /// `nil` for an app's own loop.
        public let kind: LoopRecord.Kind?
        /// What it does at the moment: it waits, is queued, requests a page or applies one.
        public let activity: LoopStatus.Activity
        /// How far its failures have escalated.
        public let health: LoopHealth.State
        /// The message of the last failure; `nil` after a success.
        public let message: String?
        /// When it last succeeded in this watch; `nil` if it has not yet.
        public let lastSuccess: Date?
        /// When it makes its next request; `nil` if unknown.
        public let next: Date?
    }

    /// The present phase.
    public var phase = Phase.notStarted
    /// `nil` before the first sync has ended.
    public var way: WatchWay?
    /// From one request, or poll, to the next; `nil` before the first sync has ended.
    public var interval: Duration?
    /// The core loop first, or that of polls if the server has no events; then shows' loops and an app's own, in the order in
    /// which they were enabled.
    public var loops: [Loop] = []
    /// When the next sync of all kinds is due; `nil` before the first sync has ended.
    public var nextSync: Date?
    /// The number of objects whose pictures or documents may still have to be fetched.
    public var waitingFiles = 0
    /// The counts of this watch: `requests`, `not_modified`, `failures`, `bytes`, `pages`, `objects`. Counts that are 0 may be
    /// missing.
    public var tally: [String: Int] = [:]
}

extension Follower {
    /// Adds the state of the loops and syncs to a status.
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
