import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// How it stands with a watch at one moment.
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
    /// From one asking to the next.
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
