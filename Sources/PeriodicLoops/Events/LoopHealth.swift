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

    /// Default: well. ``EscalationPolicy/restored(_:at:)`` makes up what is left out.
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
