/// Something that is done again and again: an id, an interval, a handler, and how a ``PollingCenter`` treats it.
public struct Pollable: Sendable {
    /// Which handlers may run at the same time. No item ever overlaps itself.
    public enum Lane: Sendable, Hashable {
        /// Beside all others.
        case own
        /// One after the other with all items of the centre that ask for the same, first come first served.
        case serial
    }

    /// What becomes of the ticks that passed while the handler ran.
    public enum MissedTicks: Sendable, Hashable {
        /// Nothing: the next run is at the next tick.
        case skip
        /// However many they were, one run makes up for them, as soon as the handler has ended.
        case runOnce
    }

    /// Unique within a centre.
    public let id: String
    /// From tick to tick, whatever a run takes. At least 1 s: less reads as 1 s.
    public let interval: Duration
    /// Whether the first tick is when the item is enabled, rather than an interval later. Default: false.
    public var startsAtOnce = false
    /// Default: beside all others.
    public var lane = Lane.own
    /// Default: skip them.
    public var missedTicks = MissedTicks.skip
    /// By what share of the interval, in `0...1`, a run may come later than its tick, by chance. Default: 0.
    public var jitter = 0.0
    /// How long to wait at least after failures in a row; runs are at ticks or later. Default: 1 s, doubled, up to 30 min.
    public var backOff = BackOff()
    /// After this time a run has failed with ``LoopError/Code/timedOut``, and its task is cancelled. Default: none.
    ///
    /// A handler that ignores the cancellation doesn't hold up others: the serial lane goes on without it. The item itself
    /// is ``PollingStatus/State/overdue``, and doesn't run again, until the handler has returned.
    public var timeLimit: Duration?
    /// What is done. An error that it throws counts as a failure, and changes nothing but when it is done next.
    ///
    /// A handler that holds its centre keeps it alive: capture it weakly.
    public let handler: @Sendable () async throws -> Void

    public init(id: String, interval: Duration, handler: @escaping @Sendable () async throws -> Void) {
        self.id = id
        self.interval = interval
        self.handler = handler
    }
}

/// The state of one item of a centre. Times are readings of the centre's clock.
public struct PollingStatus: Sendable, Hashable, Codable, Identifiable {
    public enum State: String, Sendable, Hashable, Codable {
        /// Not enabled, and nothing of it runs.
        case disabled
        /// Enabled, until its next run.
        case waiting
        /// Due, until the serial lane is free.
        case queued
        /// Its handler runs. If it isn't enabled, this is the last time.
        case running
        /// Its handler was cancelled or took too long, and has not returned yet.
        case overdue
    }

    public let id: String
    public internal(set) var state = State.disabled
    public internal(set) var isEnabled = false
    public internal(set) var interval: Duration
    /// When its last run began; nil if there was none.
    public internal(set) var lastRun: Duration?
    /// How long its last run took that has ended.
    public internal(set) var lastDuration: Duration?
    /// How many runs have ended, failed ones included; those that were cancelled aside.
    public internal(set) var runs = 0
    /// How many runs in a row have failed.
    public internal(set) var failures = 0
    /// What the last failure said, at most 500 characters; nil after a success.
    public internal(set) var lastError: String?
    /// When it runs next; nil if it isn't enabled. In the past if it is only waiting for a run or the lane to end.
    public internal(set) var nextRun: Duration?
}
