import GRDB

/// A loop that keeps the mirror current, as it stands in the table `loop`. Times are RFC 3339.
public struct LoopRecord: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The partner's own feed of events.
        case core
        /// The feed of a show that is running.
        case show
        /// Syncs at intervals, where the server has no events.
        case poll
    }

    /// What is stored of a loop that is well.
    public static let enabled = "enabled"
    /// The delete guard objected to a refresh: until a sync ends complete, it is not asked.
    public static let guarded = "guarded"
    /// The feed has ended: it isn't asked again until its show changes.
    public static let over = "over"

    public let id: String
    /// A ``Kind``, as text.
    public let kind: String
    /// `enabled`, `backingOff`, `resetting`, `quarantined`; `guarded`, `over`: not running.
    public var state: String
    /// Answers in a row that could not be processed, or tries without an answer.
    public var failures: Int
    /// When it last went well.
    public var lastAt: String?
    /// What the last failure said, or how a loop of kind `poll` asks.
    public var message: String?
    /// Before that time it isn't asked; `nil`: at the next interval.
    public var nextAt: String?
    /// The last event that is stored: opaque, the server's.
    public var cursor: String?
    /// What the loop keeps for itself, as JSON.
    public var health: String?

    public init(
        id: String, kind: Kind, state: String = LoopRecord.enabled, failures: Int = 0, lastAt: String? = nil,
        message: String? = nil, nextAt: String? = nil, cursor: String? = nil, health: String? = nil
    ) {
        self.id = id
        self.kind = kind.rawValue
        self.state = state
        self.failures = failures
        self.lastAt = lastAt
        self.message = message
        self.nextAt = nextAt
        self.cursor = cursor
        self.health = health
    }

    static let columns = "id, kind, state, failures, last_at, message, next_at, cursor, health"

    init(_ row: Row) {
        (id, kind, state, failures) = (row[0], row[1], row[2], row[3])
        (lastAt, message, nextAt, cursor, health) = (row[4], row[5], row[6], row[7], row[8])
    }

    /// The partner's own loop.
    public static let coreID = "partner"
    /// The loop that polls where there are no events.
    public static let pollID = "poll"

    /// The loop of a show.
    public static func showID(_ show: String) -> String { "show:\(show)" }

    /// The kind of a watch's loop; `nil` for the id of another, which an app added.
    package static func kind(ofLoop id: String) -> Kind? {
        switch id {
        case coreID: .core
        case pollID: .poll
        default: show(ofLoop: id) == nil ? nil : .show
        }
    }

    /// The show that a loop is of; `nil` for the others.
    public static func show(ofLoop id: String) -> String? {
        id.hasPrefix("show:") ? String(id.dropFirst(5)) : nil
    }
}

/// A show that may have a feed of its own, beside what is known of its loop.
package struct ShowFeed: Sendable, Hashable {
    package let show: String
    package let startAt: String?
    package let endAt: String?
    package let status: String?
    /// Changes exactly when the show's own JSON does.
    package let version: String?
    /// As ``LoopRecord/state``; `nil` if nothing is stored of the loop.
    package let state: String?
    package let health: String?
}
