/// How it stands with one item of a centre. Times are readings of the centre's clock.
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
    public let state: State
    public let isEnabled: Bool
    public let interval: Duration
    /// When its last run began; nil if there was none.
    public let lastRun: Duration?
    /// How long its last run took that has ended.
    public let lastDuration: Duration?
    /// How many runs have ended, failed ones included; those that were cancelled aside.
    public let runs: Int
    /// How many runs in a row have failed.
    public let failures: Int
    /// What the last failure said, at most 500 characters; nil after a success.
    public let lastError: String?
    /// When it runs next; nil if it isn't enabled. In the past if it is only waiting for a run or the lane to end.
    public let nextRun: Duration?
}
