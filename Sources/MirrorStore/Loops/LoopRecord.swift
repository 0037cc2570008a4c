import GRDB

/// A row of the table `loop`: the stored state of one loop of `mirror watch`. Times are RFC 3339.
public struct LoopRecord: Sendable, Hashable {
    /// What a loop keeps current.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The partner's own feed of events.
        case core
        /// The feed of a show that is running.
        case show
        /// Syncs at intervals, where the server has no events.
        case poll
    }

    /// The ``state`` of a loop that works without failures.
    public static let enabled = "enabled"
    /// The ``state`` of a loop whose refresh the delete guard stopped. Its feed isn't requested until a sync ends complete.
    public static let guarded = "guarded"
    /// The ``state`` of a loop whose feed has ended. The feed isn't requested again until its show changes.
    public static let over = "over"

    /// ``coreID``, ``pollID``, the id of a show's loop (``showID(_:)``), or the id of an app's own loop.
    public let id: String
    /// The raw value of a ``Kind``.
    public let kind: String
    /// `enabled`, `backingOff`, `resetting` or `quarantined`; `guarded` or `over` for a loop that isn't running.
    public var state: String
    /// The number of consecutive requests without an answer, or with an answer that could not be processed.
    public var failures: Int
    /// When the loop last succeeded; `nil` if it never did.
    public var lastAt: String?
    /// The message of the last failure. For a loop of kind `poll`: its sync strategy and interval.
    public var message: String?
    /// The earliest time of the next request; `nil` for the next interval.
    public var nextAt: String?
    /// The id of the last stored event. It is opaque and made by the server.
    public var cursor: String?
    /// JSON that the loop stores for its own use.
    public var health: String?

    /// Makes a record. By default the loop is enabled and has not run yet.
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

    /// The id of the loop that reads the partner's own feed.
    public static let coreID = "partner"
    /// The id of the loop that syncs at intervals, used where the server has no events.
    public static let pollID = "poll"

    /// The id of the loop that reads a show's feed.
    public static func showID(_ show: String) -> String { "show:\(show)" }

    /// The kind of one of this library's loops; `nil` for the id of a loop that an app added.
    package static func kind(ofLoop id: String) -> Kind? {
        switch id {
        case coreID: .core
        case pollID: .poll
        default: show(ofLoop: id) == nil ? nil : .show
        }
    }

    /// The id of the show whose feed a loop reads; `nil` for a loop that doesn't read a show's feed.
    public static func show(ofLoop id: String) -> String? {
        id.hasPrefix("show:") ? String(id.dropFirst(5)) : nil
    }
}

/// A show that may have its own feed of events, with the stored state of the loop that reads it.
package struct ShowFeed: Sendable, Hashable {
    package let show: String
    package let startAt: String?
    package let endAt: String?
    package let status: String?
    /// A value that changes exactly when the show's own JSON changes.
    package let version: String?
    /// The loop's ``LoopRecord/state``; `nil` if the loop isn't stored.
    package let state: String?
    package let health: String?
}
