import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops
import Synchronization

/// What a watch was made with, and what all of its parts share.
struct WatchSetting: Sendable {
    /// Its first sync; later ones differ in little.
    let firstSync: Sync
    let interval: Duration
    let clock: LoopClock
    let executor: (any TaskExecutor)?
    let random: @Sendable () -> Double
    /// An app's own.
    let items: [any Pollable]
    /// An app's own.
    let loops: [any EventsLoop]
    var observer: WatchObserver
    let lock = SharedRunLock()
    let tally = WatchTally()

    /// - Parameters:
    ///   - items: with ids that are unique, and none of ``Follower/Item/all``; otherwise the program ends.
    ///   - loops: with ids that are unique, and none of the watch's own; otherwise the program ends.
    init(
        firstSync: Sync, interval: Duration, clock: LoopClock, executor: (any TaskExecutor)? = nil,
        random: @escaping @Sendable () -> Double, observer: WatchObserver = WatchObserver(),
        items: [any Pollable] = [], loops: [any EventsLoop] = []
    ) {
        let uids = items.map(\.uid), ids = loops.map(\.loopID)
        precondition(
            Set(uids + Follower.Item.all).count == uids.count + Follower.Item.all.count,
            "Give each item of a watch a uid of its own, other than \(Follower.Item.all).")
        precondition(
            Set(ids).count == ids.count && ids.allSatisfy { LoopRecord.kind(ofLoop: $0) == nil },
            "Give each loop of a watch a loopID of its own, other than partner, poll and show:….")
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
    /// What its syncs walk.
    var tree: Tree<String, SyncEnvironment> { SyncTree.tree(walking: options, own: firstSync.tree) }

    /// From one check whether a person has paused the watch to the next.
    var pauseInterval: Duration { min(interval, .seconds(60)) }

    /// For pages and refreshes: pictures follow later.
    var objectOptions: SyncOptions {
        var options = options
        (options.media, options.full) = (false, false)
        return options
    }

    /// A sync of the watched mirror.
    func sync(_ options: SyncOptions, isFirst: Bool = false) -> Sync {
        var sync = firstSync
        sync.options = options
        // The first sync settles the origin.
        if !isFirst { (sync.base, sync.isNewOrigin) = (nil, false) }
        sync.takeLock = { [lock] in try lock.take($0) }
        return sync
    }

    /// Runs a sync, and reports it to the observer.
    ///
    /// - Returns: how it ended, also if it could not begin.
    func run(_ reason: WatchSync) async -> SyncSummary {
        let monitor = observer.monitor(reason)
        observer.handler(.syncBegan(reason))
        var summary: SyncSummary
        do {
            summary = try await sync(options, isFirst: reason == .first).run(monitor)
        } catch {
            summary = SyncSummary(partner: partner, failure: error)
        }
        if summary.cause is CancellationError { summary.outcome = .cancelled }
        observer.handler(.syncEnded(reason, summary))
        return summary
    }
}

/// What a watch counts, and what of it is not stored yet.
final class WatchTally: Sendable {
    enum Name: String, Sendable {
        case requests, notModified = "not_modified", failures, bytes, pages, objects
    }

    private struct State {
        var sums: [String: Int] = [:]
        var stored: [String: Int] = [:]
        /// What of the feeds' session is in the sums.
        var counted: [String: Int] = [:]
    }

    private let state = Mutex(State())

    func add(_ name: Name, _ count: Int = 1) {
        state.withLock { $0.sums[name.rawValue, default: 0] += count }
    }

    /// Adds what a run did, which its own log hook has stored.
    func addStored(_ statistics: SessionStatistics) {
        let counts = Self.counts(statistics)
        state.withLock { state in
            state.sums.merge(counts, uniquingKeysWith: +)
            state.stored.merge(counts, uniquingKeysWith: +)
        }
    }

    /// What a session did, by the names of counts.
    static func counts(_ statistics: SessionStatistics) -> [String: Int] {
        [
            Name.requests.rawValue: statistics.sent, Name.notModified.rawValue: statistics.notModified,
            Name.bytes.rawValue: statistics.bytesReceived,
        ]
    }

    /// Adds what the feeds' session has done since the last call.
    func update(from statistics: SessionStatistics) {
        let counts = Self.counts(statistics)
        state.withLock { state in
            state.sums.merge(counts.map { ($0, $1 - (state.counted[$0] ?? 0)) }, uniquingKeysWith: +)
            state.counted = counts
        }
    }

    var sums: [String: Int] { state.withLock { $0.sums } }

    /// What is to be stored now; counts as stored from here on.
    func takeUnstored() -> [String: Int] {
        state.withLock { state in
            defer { state.stored = state.sums }
            return state.sums.merging(state.stored, uniquingKeysWith: -).filter { $0.value != 0 }
        }
    }
}

/// Holds the run lock as long as it lives: a ``RunLock``, or one's part in a ``SharedRunLock``.
package typealias RunHold = any AnyObject & Sendable

/// The run lock of one program that does several things at once: taken by the first, released by the last.
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

    /// The file is unlocked under the mutex: otherwise the next holder would find it locked by this program.
    private func release() {
        holding.withLock { holding in
            holding.holders -= 1
            if holding.holders == 0 { holding.lock = nil }
        }
    }
}
