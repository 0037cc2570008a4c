import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import PeriodicLoops
import Synchronization

/// The state of a watch at one moment.
public struct WatchStatus: Sendable {
    public enum Phase: Sendable, Hashable {
        case notStarted
        case syncing(WatchSync)
        /// The first sync failed in a way that may pass.
        case retrying(at: Date)
        case following
        case stopped
    }

    /// One loop that is asked.
    public struct Loop: Sendable, Hashable, Identifiable {
        /// `partner`, `show:` and the show's id, or `poll`.
        public let id: String
        public let kind: LoopRecord.Kind
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
    /// The core loop first, then shows' in the order in which they were enabled; the one of polls where there are no events.
    public var loops: [Loop] = []
    /// When the next whole sync is due.
    public var nextSync: Date?
    /// Objects whose pictures or documents are still to be looked at.
    public var waitingFiles = 0
    /// Counted in this watch, stored or not: `requests`, `not_modified`, `failures`, `bytes`, `pages`, `objects`.
    public var tally: [String: Int] = [:]

    public init() {}
}

extension Follower {
    /// Fills in what a follower knows.
    func add(to status: inout WatchStatus) {
        let (agenda, way, syncing) = state.withLock { ($0.agenda, $0.way, $0.syncing) }
        status.phase = syncing.map(WatchStatus.Phase.syncing) ?? .following
        status.way = way
        status.interval = way == .events ? setting.interval : agenda.pollInterval
        status.nextSync = agenda.next
        status.waitingFiles = context.files.count
        setting.tally.update(from: context.session.statistics)
        let scheduled = scheduler.status
        status.loops =
            way == .events ? scheduled.loops.map { loop($0, tick: scheduled.nextTick) } : [poll(agenda)]
    }

    private func loop(_ loop: LoopStatus, tick: Duration?) -> WatchStatus.Loop {
        let next = [loop.health.nextTry, tick].compactMap(\.self).max()
        return WatchStatus.Loop(
            id: loop.id, kind: loop.isCore ? .core : .show, activity: loop.activity,
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
