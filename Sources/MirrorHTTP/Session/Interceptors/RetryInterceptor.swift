import Foundation
import Synchronization

/// Repeats requests after transient statuses and broken connections, within a budget, after a jittered wait.
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
            // If another interceptor asked for the repetition, that one gives back what it cost.
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
        /// It worked; the server is healthy.
        case success
        /// Repeating would bring the same, or do harm.
        case final
        case transient(timeout: Bool)
    }

    /// What an outcome means for a repetition.
    package static func judge(_ outcome: Outcome, isIdempotent: Bool) -> Verdict {
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

/// Limits repetitions to a failing server: a bucket that repetitions take from and successes fill.
///
/// While it is empty, failures are returned at once. Share one among the interceptors of a session that repeat requests.
public final class RetryBudget: Sendable {
    private let capacity: Int
    private let level: Mutex<Int>

    /// - Parameter capacity: What is in the bucket at first, and at most. Default 500. A repetition takes 5, one after a
    ///   time-out 10, and a success at the first attempt gives 1: the numbers that cloud SDKs have settled on.
    public init(capacity: Int = 500) {
        self.capacity = capacity
        level = Mutex(capacity)
    }

    /// What is left.
    public var remaining: Int { level.withLock { $0 } }

    /// Takes what a repetition costs; `nil`, and nothing taken, if there isn't enough.
    package func take(afterTimeout: Bool) -> Int? {
        let cost = afterTimeout ? 10 : 5
        return level.withLock { level in
            guard level >= cost else { return nil }
            level -= cost
            return cost
        }
    }

    /// Gives back what a successful repetition took, or what a success at the first attempt gives if it took nothing.
    package func succeed(taken: Int) {
        level.withLock { $0 = min(capacity, $0 + (taken > 0 ? taken : 1)) }
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
        wait(answer["Retry-After"], now: answer.date ?? now)
    }

    /// The wait that a field's value asks for: seconds, or the time until an HTTP date, none for one that is over; `nil` for
    /// anything else.
    package static func wait(_ value: String?, now: Date) -> Duration? {
        guard let text = value?.trimmed, !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number that is too large counts as a very long wait.
            return .seconds(min(Int(text) ?? .max, 10 * 365 * 86_400))
        }
        guard let date = HTTPDate.date(text) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now).rounded(.up)))
    }
}

extension TransportError {
    /// Whether the same exchange may succeed a moment later.
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

    /// Whether it is a time-out, which costs server and client the most.
    package var isTimeout: Bool {
        [.connectTimedOut, .idleTimedOut, .timedOut].contains(code)
    }
}
