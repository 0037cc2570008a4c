/// Repeats what is worth it: transient statuses and broken connections, within a budget, after a jittered wait.
///
/// A request that isn't idempotent is repeated only if nothing of it had been sent.
public struct RetryInterceptor: Interceptor {
    public let policy: RetryPolicy
    public let budget: RetryBudget

    public init(policy: RetryPolicy = RetryPolicy(), budget: RetryBudget = RetryBudget()) {
        self.policy = policy
        self.budget = budget
    }

    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        switch Self.judge(outcome, isIdempotent: attempt.isIdempotent) {
        case .success:
            // A repetition that another interceptor asked for is that one's to give back.
            if attempt.memory > 0 || attempt.number == 1 { budget.succeed(taken: attempt.memory) }
            attempt.memory = 0
            return .proceed
        case .final:
            return .proceed
        case .transient(let timeout):
            guard attempt.mayWait, attempt.repeats < policy.limit,
                let taken = budget.take(afterTimeout: timeout)
            else {
                return .proceed
            }
            attempt.memory = taken
            return .repeat(after: policy.wait(before: attempt.repeats, random: attempt.random()))
        }
    }

    package enum Verdict: Sendable, Hashable {
        /// It worked; the server is well.
        case success
        /// Repeating would bring the same, or do harm.
        case final
        case transient(timeout: Bool)
    }

    /// What an outcome means for a repetition.
    package static func judge(_ outcome: Outcome, isIdempotent: Bool) -> Verdict {
        switch outcome {
        case .response(let status, _, _):
            guard RetryWorth.isWorthRetry(status: status) else { return status < 500 ? .success : .final }
            return isIdempotent ? .transient(timeout: status == 408 || status == 504) : .final
        case .failure(let error as TransportError):
            guard error.isWorthRetry, isIdempotent || !error.mayHaveReachedServer else { return .final }
            return .transient(timeout: error.isTimeout)
        case .failure:
            return .final
        }
    }
}
