/// How well a loop is, as a value that can be stored and restored. Times are readings of the scheduler's clock.
public struct LoopHealth: Sendable, Hashable, Codable {
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// The last try succeeded.
        case well
        /// Tries fail, and come at growing intervals.
        case backingOff
        /// So many answers in a row couldn't be processed that tries don't poll, but refresh everything.
        case resetting
        /// That failed too: one try a day.
        case quarantined
    }

    /// Follows from the counts; see ``EscalationPolicy``.
    public var state: State
    /// How many answers in a row couldn't be processed; network trouble in between neither counts nor ends the row.
    public var failures: Int
    /// How many tries in a row got no answer to judge.
    public var troubles: Int
    /// What the last failure said, at most 500 characters; nil after a success.
    public var lastError: String?
    /// When that was.
    public var lastErrorAt: Duration?
    /// No try before this time; nil: at the next tick.
    public var nextTry: Duration?

    /// Default: well. ``EscalationPolicy/restored(_:at:)`` completes one that was stored in part.
    public init(
        state: State = .well, failures: Int = 0, troubles: Int = 0, lastError: String? = nil,
        lastErrorAt: Duration? = nil, nextTry: Duration? = nil
    ) {
        self.state = state
        self.failures = failures
        self.troubles = troubles
        self.lastError = lastError
        self.lastErrorAt = lastErrorAt
        self.nextTry = nextTry
    }

    /// Whether tries refresh everything.
    var isReset: Bool { state == .resetting || state == .quarantined }

    func isDue(at now: Duration) -> Bool { nextTry.map { $0 <= now } ?? true }
}

/// The state of one loop. Times are readings of the scheduler's clock.
public struct LoopStatus: Sendable, Hashable, Codable, Identifiable {
    public enum Activity: String, Sendable, Hashable, Codable {
        /// Until the next tick at which it is due.
        case waiting
        /// Until those before it are done.
        case queued
        /// It reads its cursor, or asks.
        case polling
        /// It applies a page, or refreshes.
        case processing
        /// It says what an error means, or stores how well it is.
        case reporting
    }

    public let id: LoopID
    public let isCore: Bool
    public internal(set) var activity = Activity.waiting
    public internal(set) var health: LoopHealth
    /// When an operation of it ended well last; nil if none has since it was enabled.
    public internal(set) var lastSuccess: Duration?
    /// How many operations have ended well since it was enabled.
    public internal(set) var successes = 0
    /// How many operations have failed since it was enabled.
    public internal(set) var failedTries = 0
    /// Whether a try that was given up has not returned yet.
    public internal(set) var hasStrayTry = false
}

/// The state of a scheduler and its loops. Times are readings of its clock.
public struct SchedulerStatus: Sendable, Hashable, Codable {
    public enum Phase: String, Sendable, Hashable, Codable {
        case notStarted, running, suspended
    }

    public let phase: Phase
    /// When all loops are asked next, if the queue is empty then; nil before the start.
    public let nextTick: Duration?
    /// How many ticks found the queue empty and asked.
    public let cycles: Int
    /// How many ticks came while there was still work.
    public let skippedTicks: Int
    /// What is enabled: the core loop first, then special loops in the order of enabling.
    public let loops: [LoopStatus]
}
