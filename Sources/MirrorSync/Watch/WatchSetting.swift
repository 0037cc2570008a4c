import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops
import Synchronization

/// The configuration of a watch, and the state that all its parts share.
struct WatchSetting: Sendable {
    /// The first sync; ``sync(_:isFirst:)`` derives the later ones from it.
    let firstSync: Sync
    let interval: Duration
    let clock: LoopClock
    let executor: (any TaskExecutor)?
    let random: @Sendable () -> Double
    /// An app's own items.
    let items: [any Pollable]
    /// An app's own loops.
    let loops: [any EventsLoop]
    var observer: WatchObserver
    let lock = SharedRunLock()
    let tally = WatchTally()

    /// - Parameters:
    ///   - items: their ids must be unique, and none of ``Follower/Item/all``; otherwise a precondition fails.
    ///   - loops: their ids must be unique, and none of the watch's own; otherwise a precondition fails.
    init(
        firstSync: Sync, interval: Duration, clock: LoopClock, executor: (any TaskExecutor)? = nil,
        random: @escaping @Sendable () -> Double, observer: WatchObserver = WatchObserver(),
        items: [any Pollable] = [], loops: [any EventsLoop] = []
    ) {
        let uids = items.map(\.uid), ids = loops.map(\.loopID)
        precondition(
            Set(uids + Follower.Item.all).count == uids.count + Follower.Item.all.count,
            "Give each item of a watch a unique uid, other than \(Follower.Item.all).")
        precondition(
            Set(ids).count == ids.count && ids.allSatisfy { LoopRecord.kind(ofLoop: $0) == nil },
            "Give each loop of a watch a unique loopID, other than partner, poll and show:….")
        self.firstSync = firstSync
        self.interval = interval
        self.clock = clock
        self.executor = executor
        self.random = random
        self.observer = observer
        self.items = items
        self.loops = loops
    }

    var partner: String { firstSync.partner }
    var folder: MirrorFolder { firstSync.folder }
    var options: SyncOptions { firstSync.options }
    var now: @Sendable () -> Date { firstSync.now }
    /// The tree of its syncs.
    var tree: Tree<String, SyncEnvironment> { SyncTree.tree(walking: options, own: firstSync.tree) }

    /// The time between two checks whether the watch is paused.
    var pauseInterval: Duration { min(interval, .seconds(60)) }

    /// The options for pages and refreshes: without files, which are fetched later.
    var objectOptions: SyncOptions {
        var options = options
        (options.media, options.full) = (false, false)
        return options
    }

    /// The options of a sync of all kinds. Only a poll uses the lists of a described source that were read less than a day ago.
    func options(of reason: WatchSync) -> SyncOptions {
        var options = options
        options.usesRecentLists = reason == .poll
        return options
    }

    /// A sync of the watched mirror.
    func sync(_ options: SyncOptions, isFirst: Bool = false) -> Sync {
        var sync = firstSync
        sync.options = options
        // The first sync stores the origin.
        if !isFirst { (sync.base, sync.isNewOrigin) = (nil, false) }
        sync.takeLock = { [lock] in try lock.take($0) }
        return sync
    }

    /// Runs a sync, and reports it to the observer.
    ///
    /// - Returns: how it ended; a sync that could not begin has failed.
    func run(_ reason: WatchSync) async -> SyncSummary {
        let monitor = observer.monitor(reason)
        observer.handler(.syncBegan(reason))
        var summary: SyncSummary
        do {
            summary = try await sync(options(of: reason), isFirst: reason == .first).run(monitor)
        } catch {
            summary = SyncSummary(partner: partner, failure: error)
        }
        if summary.cause is CancellationError { summary.outcome = .cancelled }
        observer.handler(.syncEnded(reason, summary))
        return summary
    }
}

/// The counts of a watch, and the part of them that isn't stored yet.
final class WatchTally: Sendable {
    enum Name: String, Sendable {
        case requests, notModified = "not_modified", failures, bytes, pages, objects
    }

    private struct State {
        var sums: [String: Int] = [:]
        var stored: [String: Int] = [:]
        /// The counts of the feeds' session that are already in `sums`.
        var counted: [String: Int] = [:]
    }

    private let state = Mutex(State())

    func add(_ name: Name, _ count: Int = 1) {
        state.withLock { $0.sums[name.rawValue, default: 0] += count }
    }

    /// Adds the counts of a run, which the run's log hook has already stored.
    func addStored(_ statistics: SessionStatistics) {
        let counts = Self.counts(statistics)
        state.withLock { state in
            state.sums.merge(counts, uniquingKeysWith: +)
            state.stored.merge(counts, uniquingKeysWith: +)
        }
    }

    /// A session's statistics, by the names of the counts.
    static func counts(_ statistics: SessionStatistics) -> [String: Int] {
        [
            Name.requests.rawValue: statistics.sent, Name.notModified.rawValue: statistics.notModified,
            Name.bytes.rawValue: statistics.bytesReceived,
        ]
    }

    /// Adds the statistics of the feeds' session since the last call.
    func update(from statistics: SessionStatistics) {
        let counts = Self.counts(statistics)
        state.withLock { state in
            state.sums.merge(counts.map { ($0, $1 - (state.counted[$0] ?? 0)) }, uniquingKeysWith: +)
            state.counted = counts
        }
    }

    var sums: [String: Int] { state.withLock { $0.sums } }

    /// Returns the counts that have to be stored now, and treats them as stored.
    func takeUnstored() -> [String: Int] {
        state.withLock { state in
            defer { state.stored = state.sums }
            return state.sums.merging(state.stored, uniquingKeysWith: -).filter { $0.value != 0 }
        }
    }
}

/// Holds the run lock until it is deallocated: a ``RunLock``, or one holder's part in a ``SharedRunLock``.
package typealias RunHold = any AnyObject & Sendable

/// A run lock that several tasks of one program share: the first takes it, and the last releases it.
final class SharedRunLock: Sendable {
    private struct Holding {
        var lock: RunLock?
        var holders = 0
    }

    /// One holder's part.
    private final class Hold: Sendable {
        private let shared: SharedRunLock

        init(_ shared: SharedRunLock) { self.shared = shared }

        deinit { shared.release() }
    }

    private let holding = Mutex(Holding())

    /// - Throws: ``StoreError/Code/locked`` if another program holds it.
    func take(_ folder: MirrorFolder) throws -> RunHold {
        try holding.withLock { holding in
            if holding.lock == nil { holding.lock = try RunLock(folder) }
            holding.holders += 1
        }
        return Hold(self)
    }

    /// The lock file is unlocked inside the mutex: otherwise the next holder could find it still locked by this program.
    private func release() {
        holding.withLock { holding in
            holding.holders -= 1
            if holding.holders == 0 { holding.lock = nil }
        }
    }
}
