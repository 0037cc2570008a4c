import Foundation
import Synchronization

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

    public func didReceive(_ outcome: Result<Response, any Error>, for attempt: inout Attempt) async throws
        -> Decision
    {
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
            else { return .proceed }
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
    package static func judge(_ outcome: Result<Response, any Error>, isIdempotent: Bool) -> Verdict {
        switch outcome {
        case .success(let response):
            let status = response.status
            guard HTTPError.isWorthRetry(status: status) else { return status < 500 ? .success : .final }
            return isIdempotent ? .transient(timeout: status == 408 || status == 504) : .final
        case .failure(let error as TransportError):
            guard error.isWorthRetry, isIdempotent || !error.mayHaveReachedServer else { return .final }
            return .transient(timeout: error.isTimeout)
        case .failure:
            return .final
        }
    }
}

/// How often and how late a failed request is repeated: full jitter, U(0, min(cap, base · 2ⁿ)).
///
/// | repetition n | longest wait, base 0.25 s, cap 20 s |
/// |---|---|
/// | 0 | 0.25 s |
/// | 1 | 0.5 s |
/// | 2 | 1 s |
/// | 3 | 2 s |
/// | 7 and later | 20 s |
public struct RetryPolicy: Sendable, Hashable {
    /// Default 0.25 s.
    public var base: Duration
    /// Default 20 s.
    public var cap: Duration
    /// Repetitions of one request. Default 4.
    public var limit: Int

    public init(base: Duration = .milliseconds(250), cap: Duration = .seconds(20), limit: Int = 4) {
        self.base = base
        self.cap = cap
        self.limit = limit
    }

    /// The wait before repetition `n`, counted from 0; `random` is in `0..<1`.
    public func wait(before n: Int, random: Double) -> Duration {
        // 2^40 · base is beyond any cap; a larger shift would overflow.
        let longest = min(cap, base * Double(sign: .plus, exponent: min(max(n, 0), 40), significand: 1))
        return longest * random
    }
}

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

/// Reads `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The wait that an answer asks for, `nil` if it doesn't.
    ///
    /// A date counts from that answer's own `Date`: the server's clock need not be ours.
    ///
    /// - Parameter now: by our clock; stands for a `Date` that is missing.
    package static func wait(_ answer: HeaderFields, now: Date) -> Duration? {
        guard let value = answer["Retry-After"] else { return nil }
        return wait(value, now: answer.date ?? now)
    }

    /// The wait that a field's value asks for: seconds, or the time until an HTTP date, none for one that is over; `nil` for
    /// anything else.
    package static func wait(_ value: String?, now: Date) -> Duration? {
        guard let text = value?.trimmed, !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number too large for a wait is as good as a very long one.
            return .seconds(min(Int(text) ?? .max, 10 * 365 * 86_400))
        }
        guard let date = HTTPDate.date(text) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now).rounded(.up)))
    }
}

extension TransportError {
    /// Whether the same exchange may well succeed a moment later.
    public var isWorthRetry: Bool {
        switch code {
        case .cannotConnect, .connectTimedOut, .idleTimedOut, .timedOut, .connectionLost, .truncatedBody,
            .brokenCoding, .cannotConnectByProxy:
            true
        case .unsupportedURL, .cannotResolveHost, .badCertificate, .bodyTooLarge, .headersTooLarge,
            .badResponse, .unknownCoding, .untrustedProxy, .unreadableAuthorities:
            false
        }
    }

    /// Whether time ran out: such a failure has already cost the server and us the most.
    package var isTimeout: Bool {
        switch code {
        case .connectTimedOut, .idleTimedOut, .timedOut: true
        default: false
        }
    }
}
