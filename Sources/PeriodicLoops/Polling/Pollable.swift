/// A polled item: an id, an interval and a handler, which a ``PollingCenter`` calls at this interval. Each call of the handler
/// is a *poll*.
///
/// ```swift
/// struct Weather: Pollable {
///     let interval = Duration.seconds(60)
///     func poll() async throws { try await fetchWeather() }
/// }
/// ```
///
/// All properties are read once, when the item is added. An item should refer to its centre weakly, because a strong
/// reference keeps the centre alive.
public protocol Pollable: Sendable {
    /// The item's id; unique within a centre. Default: the type's name.
    var uid: String { get }
    /// The time between ticks, however long a poll takes. At least 1 s; shorter intervals are treated as 1 s.
    ///
    /// Ticks that pass during a poll are skipped.
    var interval: Duration { get }
    /// Whether the first tick is when the item is enabled. Default: false, an interval later.
    var startsAtOnce: Bool { get }
    /// Whether the item is polled at the same time as others. Default: ``PollingLane/own``, it is.
    var lane: PollingLane { get }
    /// The shortest wait after consecutive failures. Default: 1 s, doubled after each failure, up to 30 min.
    ///
    /// The next poll is at the next tick, or at the end of the wait if that is later.
    var backOff: BackOff { get }
    /// The longest time that a poll may take. Default: nil, no limit.
    ///
    /// A poll that takes longer fails with ``LoopError/Code/timedOut``, and its task is cancelled. If ``poll()`` ignores
    /// the cancellation, other items are not delayed: the serial lane continues with the next item. The item itself is
    /// ``PollingStatus/State/overdue``, and isn't polled again until ``poll()`` has returned.
    var timeLimit: Duration? { get }

    /// Does the work of one poll. A thrown error counts as a failure and only affects the time of the next poll.
    func poll() async throws
}

extension Pollable {
    /// The type's name.
    public var uid: String { String(describing: Self.self) }
    /// False: the first poll is an interval after the item was enabled.
    public var startsAtOnce: Bool { false }
    /// The item's own lane: it is polled at the same time as others.
    public var lane: PollingLane { .own }
    /// 1 s, doubled after each failure, up to 30 min.
    public var backOff: BackOff { BackOff() }
    /// No limit.
    public var timeLimit: Duration? { nil }
}

/// Which items may be polled at the same time. The polls of one item never overlap.
public enum PollingLane: Sendable, Hashable {
    /// The item is polled at the same time as any others.
    case own
    /// All items of the centre in this lane are polled one after the other, in the order in which they became due.
    case serial
}

/// The status of one item of a centre. Times are readings of the centre's clock.
public struct PollingStatus: Sendable, Hashable, Codable, Identifiable {
    /// What the item is doing.
    public enum State: String, Sendable, Hashable, Codable {
        /// The item is disabled and its handler doesn't run.
        case disabled
        /// The item is enabled and waits for its next poll.
        case waiting
        /// The item is due and waits for the serial lane.
        case queued
        /// The handler runs. If the item is disabled, this is its last poll.
        case running
        /// The handler was cancelled or exceeded its time limit, and hasn't returned yet.
        case overdue
    }

    /// The item's ``Pollable/uid``.
    public let id: String
    /// What the item is doing.
    public internal(set) var state = State.disabled
    /// Whether the item is enabled.
    public internal(set) var isEnabled = false
    /// The time between ticks; at least 1 s.
    public internal(set) var interval: Duration
    /// When the last poll began; nil if there was none.
    public internal(set) var lastRun: Duration?
    /// How long the last completed poll took; nil if there was none.
    public internal(set) var lastDuration: Duration?
    /// The number of polls that have ended, including failed ones, but not cancelled ones.
    public internal(set) var runs = 0
    /// The number of consecutive failed polls.
    public internal(set) var failures = 0
    /// The message of the last failure, at most 500 characters; nil after a success.
    public internal(set) var lastError: String?
    /// When the item is polled next; nil if it is disabled. In the past while it waits for a poll to end or for its lane.
    public internal(set) var nextRun: Duration?
}
