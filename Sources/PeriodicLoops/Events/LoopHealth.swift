/// The health of a loop, a value that can be stored and restored. Times are readings of the scheduler's clock.
public struct LoopHealth: Sendable, Hashable, Codable {
    /// How far failures have escalated.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// The last try succeeded.
        case well
        /// Tries fail. The waits between them grow.
        case backingOff
        /// Several consecutive responses couldn't be processed. Tries refresh everything instead of polling.
        case resetting
        /// Refreshing everything failed too. There is one try a day.
        case quarantined
    }

    /// The state, which follows from the counts; see ``EscalationPolicy``.
    public var state: State
    /// The number of consecutive responses that couldn't be processed. Network failures between them are ignored.
    public var failures: Int
    /// The number of consecutive tries without a response, or with 429 or 5xx. A response that can't be processed resets it.
    public var troubles: Int
    /// The message of the last failure, at most 500 characters; nil after a success.
    public var lastError: String?
    /// When the last failure happened; nil after a success.
    public var lastErrorAt: Duration?
    /// The earliest time of the next try; nil for the next tick.
    public var nextTry: Duration?

    /// Creates a health. Default: well.
    ///
    /// If only some values were stored, ``EscalationPolicy/restored(_:at:)`` completes them.
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

    /// Whether tries refresh everything instead of polling.
    var isReset: Bool { state == .resetting || state == .quarantined }

    func isDue(at now: Duration) -> Bool { nextTry.map { $0 <= now } ?? true }
}

/// The status of one loop. Times are readings of the scheduler's clock.
public struct LoopStatus: Sendable, Hashable, Codable, Identifiable {
    /// What a loop is doing.
    public enum Activity: String, Sendable, Hashable, Codable {
        /// The loop waits for the next tick at which it is due.
        case waiting
        /// The loop waits for the loops before it in the queue.
        case queued
        /// The loop reads its cursor, or requests a page.
        case polling
        /// The loop applies a page, or refreshes.
        case processing
        /// The loop classifies an error, or stores its health.
        case reporting
    }

    /// The loop's ``EventsLoop/loopID``.
    public let id: LoopID
    /// Whether the loop is the scheduler's core loop.
    public let isCore: Bool
    /// What the loop is doing.
    public internal(set) var activity = Activity.waiting
    /// The loop's health.
    public internal(set) var health: LoopHealth
    /// When a try last succeeded; nil if none has since the loop was enabled.
    public internal(set) var lastSuccess: Duration?
    /// The number of tries that have succeeded since the loop was enabled.
    public internal(set) var successes = 0
    /// The number of tries that have failed since the loop was enabled.
    public internal(set) var failedTries = 0
    /// Whether an abandoned try, which exceeded its time limit, hasn't returned yet.
    public internal(set) var hasStrayTry = false
}

/// The status of a scheduler and its loops. Times are readings of its clock.
public struct SchedulerStatus: Sendable, Hashable, Codable {
    /// Whether the scheduler runs.
    public enum Phase: String, Sendable, Hashable, Codable {
        case notStarted, running, suspended
    }

    /// Whether the scheduler runs.
    public let phase: Phase
    /// The time of the next tick; nil before the start.
    public let nextTick: Duration?
    /// The number of ticks at which the queue was empty, so that the due loops were queued.
    public let cycles: Int
    /// The number of ticks that were skipped because work was left.
    public let skippedTicks: Int
    /// The enabled loops: the core loop first, then special loops in the order in which they were enabled.
    public let loops: [LoopStatus]
}
