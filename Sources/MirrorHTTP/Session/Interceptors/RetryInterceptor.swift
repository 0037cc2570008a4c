import Foundation
import Synchronization

/// Repeats requests after temporary failures, within a budget and with jittered waits.
///
/// A request that isn't idempotent is only repeated if nothing of it was sent.
public struct RetryInterceptor: Interceptor {
    /// The number of repetitions and their waits.
    public let policy: RetryPolicy
    /// The budget of repetitions.
    public let budget: RetryBudget

    /// Creates an interceptor. Default: ``RetryPolicy`` and ``RetryBudget`` with their defaults.
    public init(policy: RetryPolicy = RetryPolicy(), budget: RetryBudget = RetryBudget()) {
        self.policy = policy
        self.budget = budget
    }

    /// Repeats the request after a temporary failure, if the policy, the budget and the request allow it.
    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        switch Self.classify(outcome, isIdempotent: attempt.isIdempotent) {
        case .success:
            // If another interceptor requested the repetition, that one returns its cost to the budget.
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

    /// What an outcome means for repeating the request.
    package enum Verdict: Sendable, Hashable {
        /// The server works.
        case success
        /// A repetition would fail too, or would be unsafe.
        case final
        /// A repetition may succeed.
        case transient(timeout: Bool)
    }

    /// Decides whether a request may be repeated after an outcome.
    package static func classify(_ outcome: Outcome, isIdempotent: Bool) -> Verdict {
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

/// The number of repetitions and the wait before each, with full jitter: U(0, min(cap, base · 2ⁿ)).
///
/// | repetition n | longest wait, base 0.25 s, cap 20 s |
/// |---|---|
/// | 0 | 0.25 s |
/// | 1 | 0.5 s |
/// | 2 | 1 s |
/// | 3 | 2 s |
/// | 7 and later | 20 s |
public struct RetryPolicy: Sendable, Hashable {
    /// The longest wait before the first repetition. Default 0.25 s.
    public var base: Duration
    /// The longest wait before any repetition. Default 20 s.
    public var cap: Duration
    /// The maximum number of repetitions of a request. Default 4.
    public var limit: Int

    /// Creates a policy.
    public init(base: Duration = .milliseconds(250), cap: Duration = .seconds(20), limit: Int = 4) {
        self.base = base
        self.cap = cap
        self.limit = limit
    }

    /// The wait before repetition `n`, counted from 0; `random` is in `0..<1`.
    public func wait(before n: Int, random: Double) -> Duration {
        // 2^40 · base exceeds any cap; a larger exponent would overflow.
        let longest = min(cap, base * Double(sign: .plus, exponent: min(max(n, 0), 40), significand: 1))
        return longest * random
    }
}

/// Limits repetitions to a failing server by a budget of points: repetitions take points, successes return them.
///
/// While it is empty, requests aren't repeated. The interceptors of a session that repeat requests should share one.
public final class RetryBudget: Sendable {
    private let capacity: Int
    private let level: Mutex<Int>

    /// Creates a full budget.
    ///
    /// A repetition takes 5 points, or 10 after a time-out. A success at the first attempt adds 1. These are the numbers of
    /// common cloud SDKs.
    ///
    /// - Parameter capacity: The initial and maximum number of points. Default 500. The standard interceptors have 1,500: one lost
    ///   connection with HTTP/2 takes up to 640 points, 5 for each of 128 requests.
    public init(capacity: Int = 500) {
        self.capacity = capacity
        level = Mutex(capacity)
    }

    /// The remaining points.
    public var remaining: Int { level.withLock { $0 } }

    /// Takes the points of a repetition and returns their number; `nil` if there aren't enough.
    package func take(afterTimeout: Bool) -> Int? {
        let cost = afterTimeout ? 10 : 5
        return level.withLock { level in
            guard level >= cost else { return nil }
            level -= cost
            return cost
        }
    }

    /// Returns the points of a successful repetition, or adds 1 for a success at the first attempt (`taken` is 0).
    package func succeed(taken: Int) {
        level.withLock { $0 = min(capacity, $0 + (taken > 0 ? taken : 1)) }
    }
}

/// Parses `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The wait that a response requests; `nil` if it requests none.
    ///
    /// A date is relative to the response's own `Date`, because the server's clock may differ from the local one.
    ///
    /// - Parameter now: The time by the local clock, used if the response has no `Date`.
    package static func wait(_ answer: HeaderFields, now: Date) -> Duration? {
        wait(answer["Retry-After"], now: answer.date ?? now)
    }

    /// The wait that a field value requests: a number of seconds, or the time until an HTTP date; `nil` for anything else.
    ///
    /// A date in the past gives zero. A time of more than ten years counts as ten.
    package static func wait(_ value: String?, now: Date) -> Duration? {
        guard let text = value?.trimmed, !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // Also a number that doesn't fit in an Int.
            return min(.seconds(Int(text) ?? .max), longest)
        }
        guard let date = HTTPDate.date(text) else { return nil }
        return min(.seconds(max(0, date.timeIntervalSince(now).rounded(.up))), longest)
    }

    private static let longest = Duration.seconds(10 * 365 * 86_400)
}

extension TransportError {
    /// Whether the same request may succeed shortly afterwards.
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

    /// Whether the error is a time-out. Time-outs take twice the points of a ``RetryBudget``.
    package var isTimeout: Bool {
        [.connectTimedOut, .idleTimedOut, .timedOut].contains(code)
    }
}
