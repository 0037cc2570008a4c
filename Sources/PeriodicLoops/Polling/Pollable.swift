/// Something that is done again and again: an id, an interval, what is done, and how a ``PollingCenter`` treats it.
///
/// ```swift
/// struct Weather: Pollable {
///     let interval = Duration.seconds(60)
///     func poll() async throws { try await askForTheWeather() }
/// }
/// ```
///
/// All but ``poll()`` is read once, when the item is added. An item that holds its centre keeps it alive: refer to it
/// weakly.
public protocol Pollable: Sendable {
    /// Unique within a centre. Default: the type's name.
    var uid: String { get }
    /// From tick to tick, whatever a run takes; ticks that pass while it runs are not made up for. At least 1 s: less reads as 1 s.
    var interval: Duration { get }
    /// Whether the first tick is when the item is enabled, rather than an interval later. Default: false.
    var startsAtOnce: Bool { get }
    /// Default: beside all others.
    var lane: PollingLane { get }
    /// How long to wait at least after failures in a row; runs are at ticks or later. Default: 1 s, doubled, up to 30 min.
    var backOff: BackOff { get }
    /// After this time a run has failed with ``LoopError/Code/timedOut``, and its task is cancelled. Default: none.
    ///
    /// An item that ignores the cancellation doesn't hold up others: the serial lane goes on without it. The item itself
    /// is ``PollingStatus/State/overdue``, and doesn't run again, until ``poll()`` has returned.
    var timeLimit: Duration? { get }

    /// What is done. An error that it throws counts as a failure, and changes nothing but when it is done next.
    func poll() async throws
}

extension Pollable {
    public var uid: String { String(describing: Self.self) }
    public var startsAtOnce: Bool { false }
    public var lane: PollingLane { .own }
    public var backOff: BackOff { BackOff() }
    public var timeLimit: Duration? { nil }
}

/// Which items may run at the same time. No item ever overlaps itself.
public enum PollingLane: Sendable, Hashable {
    /// Beside all others.
    case own
    /// One after the other with all items of the centre that ask for the same, first come first served.
    case serial
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
