import Synchronization

/// Slows down when a server asks for it: a 429, or a 503 with `Retry-After`, holds up every request to that host.
///
/// `Retry-After` is the least wait, up to a cap; without one, or with none in it, the wait is jittered like a retry's. Stands before
/// ``RetryInterceptor``, whose budget it may share.
public final class ThrottleInterceptor: Interceptor {
    public let policy: RetryPolicy
    public let budget: RetryBudget
    /// The longest `Retry-After` that is believed; a longer one counts as this. Default 1 h. What is more than a request, or
    /// the session, may still wait isn't waited for at all: the request fails, and the host is asked no sooner.
    public let longest: Duration

    /// When each host may be asked again, on the session's ``SessionClock/elapsed``.
    private let opening = Mutex<[Origin: Duration]>([:])

    public init(
        policy: RetryPolicy = RetryPolicy(base: .seconds(1), cap: .seconds(60), limit: 8),
        budget: RetryBudget = RetryBudget(), longest: Duration = .seconds(3_600)
    ) {
        self.policy = policy
        self.budget = budget
        self.longest = longest
    }

    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.mayWait, opening.withLock({ !$0.isEmpty }) else { return }
        // Another request may be told to wait while this one does, so it looks again.
        while let wait = wait(for: attempt.origin, at: attempt.clock.elapsed()) {
            try await attempt.pause(for: wait, because: .throttling)
        }
    }

    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard case .response(let status, let headers, _) = outcome else { return .proceed }
        let asked =
            status == 429 || status == 503
            ? RetryAfter.wait(headers["Retry-After"], now: attempt.clock.now()) : nil
        guard status == 429 || (status == 503 && asked != nil) else {
            if attempt.memory > 0, status < 500 {
                budget.succeed(taken: attempt.memory)
                attempt.memory = 0
            }
            return .proceed
        }
        // "At once", or a date that is over, would have all that wait come back together.
        let wait =
            asked.flatMap { $0 > .zero ? min($0, longest) : nil }
            ?? policy.wait(before: attempt.repeats, random: attempt.random())
        hold(attempt.origin, until: attempt.clock.elapsed() + wait)
        // A 429 says that the request was turned away, so even one that isn't idempotent may be sent again.
        guard attempt.mayWait, attempt.isIdempotent || status == 429, attempt.repeats < policy.limit,
            let taken = budget.take(afterTimeout: false)
        else { return .proceed }
        attempt.memory = taken
        return .repeat(after: .zero)
    }

    /// Whether requests to that host wait now.
    func holds(_ origin: Origin, at now: Duration) -> Bool { wait(for: origin, at: now) != nil }

    private func wait(for origin: Origin, at now: Duration) -> Duration? {
        opening.withLock { opening in
            guard let moment = opening[origin] else { return nil }
            if moment > now { return moment - now }
            opening[origin] = nil
            return nil
        }
    }

    private func hold(_ origin: Origin, until moment: Duration) {
        opening.withLock { $0[origin] = max($0[origin] ?? .zero, moment) }
    }
}
