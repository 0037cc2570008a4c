/// How it stands with one loop. Times are readings of the scheduler's clock.
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
    public let activity: Activity
    public let health: LoopHealth
    /// When an operation of it ended well last; nil if none has since it was enabled.
    public let lastSuccess: Duration?
    /// How many operations have ended well since it was enabled.
    public let successes: Int
    /// How many operations have failed since it was enabled.
    public let failedTries: Int
    /// Whether a try that was given up has not returned yet.
    public let hasStrayTry: Bool
}

/// How it stands with a scheduler and its loops. Times are readings of its clock.
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
