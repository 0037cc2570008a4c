import Synchronization

/// Keeps a sick server from being hammered: a bucket that repetitions take from and successes fill.
///
/// Once it is empty, failures come back at once and wait for the end of the run. Share one among the interceptors
/// of a session that repeat failures.
public final class RetryBudget: Sendable {
    /// The bucket's rules; the numbers are those that cloud SDKs have settled on.
    public struct Rules: Sendable, Hashable {
        /// Default 500.
        public var capacity = 500
        /// What a repetition takes. Default 5.
        public var retryCost = 5
        /// What a repetition after a time-out takes. Default 10.
        public var timeoutCost = 10
        /// What a success at the first attempt gives. Default 1.
        public var successGain = 1

        public init() {}
    }

    public let rules: Rules
    private let level: Mutex<Int>

    public init(_ rules: Rules = Rules()) {
        self.rules = rules
        self.level = Mutex(rules.capacity)
    }

    /// What is left.
    public var remaining: Int { level.withLock { $0 } }

    /// Takes what a repetition costs; `nil`, and nothing taken, if there isn't enough.
    package func take(afterTimeout: Bool) -> Int? {
        let cost = afterTimeout ? rules.timeoutCost : rules.retryCost
        return level.withLock { level in
            guard level >= cost else { return nil }
            level -= cost
            return cost
        }
    }

    /// Gives back what the repetition that now succeeded took, or, if it took nothing, what a first success gives.
    package func succeed(taken: Int) {
        level.withLock { $0 = min(rules.capacity, $0 + (taken > 0 ? taken : rules.successGain)) }
    }
}
