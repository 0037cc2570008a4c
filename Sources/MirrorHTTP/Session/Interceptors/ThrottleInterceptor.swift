import Synchronization

/// Delays all requests to a host that refuses requests: after a 429, or a 503 with `Retry-After`.
///
/// - The wait is at least `Retry-After`, up to ``longest``. Without it, or if it is 0, the wait is jittered like a retry's.
/// - A request that is refused each time fails after its last attempt. The next request for the same address is then sent only
///   once, so an address that is always refused delays other requests only a few times.
/// - If one address is refused with a longer wait than the limits allow, only that request fails. All requests to the host are
///   delayed if a second address is refused in the same way, with no other response in between.
/// - A request that must not wait, such as one for a server's status, delays no other request.
///
/// It must be placed before ``RetryInterceptor``, which doesn't see refusals. They may share a budget.
public final class ThrottleInterceptor: Interceptor {
    /// The number of repetitions, and their waits if the server names none.
    public let policy: RetryPolicy
    /// The budget of repetitions.
    public let budget: RetryBudget
    /// The longest wait; a longer `Retry-After` is reduced to this. Default 1 h.
    ///
    /// If the request or the session may not wait that long, the request fails at once.
    public let longest: Duration

    /// When a host may be requested again, on the session's ``SessionClock/elapsed``.
    ///
    /// `wanted` is the time that the server named; it is later than `until` if it exceeds ``longest``, and `nil` if the server
    /// named none.
    private typealias Hold = (until: Duration, wanted: Duration?)

    private struct State {
        var holds: [Origin: Hold] = [:]
        /// Methods and addresses that were refused at every attempt, until they get another response.
        var exhausted: Set<String> = []
        /// By host, the last address that was refused with a longer wait than allowed, until the host sends another response.
        var refusedAlone: [Origin: String] = [:]
    }

    private let state = Mutex(State())
    /// The maximum number of remembered exhausted addresses; others always get all attempts.
    private static let exhaustedLimit = 10_000

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - policy: Default: 7 repetitions, so 8 attempts, with waits of up to 60 s.
    ///   - budget: Share it with ``RetryInterceptor``.
    ///   - longest: The longest wait. Default 1 h.
    public init(
        policy: RetryPolicy = RetryPolicy(base: .seconds(1), cap: .seconds(60), limit: 7),
        budget: RetryBudget = RetryBudget(), longest: Duration = .seconds(3_600)
    ) {
        self.policy = policy
        self.budget = budget
        self.longest = longest
    }

    /// Waits while the host's requests are delayed.
    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.mayWait, state.withLock({ !$0.holds.isEmpty }) else { return }
        // Another response may have extended the wait, so check again.
        while let (left, wanted) = wait(for: attempt.origin, at: attempt.clock.elapsed()) {
            do {
                try await attempt.pause(for: left, because: .throttling, wanted: wanted)
            } catch let error as HTTPError {
                if attempt.repeats > 0 { markExhausted(attempt) }
                throw error
            }
        }
    }

    /// Delays the host's requests after a refusal, and repeats this one if the policy and the limits allow it.
    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard case .success(let response) = outcome else { return .proceed }
        let status = response.status, isRefusal = status == 429 || status == 503
        let asked = isRefusal ? RetryAfter.wait(response.headers, now: attempt.clock.now()) : nil
        guard status == 429 || asked != nil else {
            state.withLock { state in
                // Computing the key is only necessary if the set isn't empty.
                if !state.exhausted.isEmpty { state.exhausted.remove(Self.key(attempt)) }
                state.refusedAlone[attempt.origin] = nil
            }
            if attempt.memory > 0, status < 500 {
                budget.succeed(taken: attempt.memory)
                attempt.memory = 0
            }
            return .proceed
        }
        // With a wait of 0, or a date in the past, all waiting requests would be sent together.
        let named = asked.flatMap { $0 > .zero ? $0 : nil }
        let wait = named ?? policy.wait(before: attempt.repeats, random: attempt.random())
        guard attempt.mayWait else { return .settle }
        if !attempt.admits(min(wait, longest)), isOnlyOne(attempt) {
            markExhausted(attempt)
            return .settle
        }
        hold(attempt.origin, for: wait, named: named, at: attempt.clock.elapsed())
        if attempt.repeats >= policy.limit { markExhausted(attempt) }
        // A 429 means that the request was not processed, so even one that isn't idempotent may be sent again.
        guard attempt.isIdempotent || status == 429, attempt.repeats < policy.limit,
            !state.withLock({ $0.exhausted.contains(Self.key(attempt)) }),
            let taken = budget.take(afterTimeout: false)
        else { return .settle }
        attempt.memory = taken
        return .repeat(after: .zero)
    }

    /// Whether requests to the host are delayed at this time.
    func holds(_ origin: Origin, at now: Duration) -> Bool { wait(for: origin, at: now) != nil }

    private func wait(for origin: Origin, at now: Duration) -> (left: Duration, wanted: Duration?)? {
        state.withLock { state in
            guard let hold = state.holds[origin] else { return nil }
            if hold.until > now {
                return (hold.until - now, hold.wanted.flatMap { $0 > now ? $0 - now : nil })
            }
            state.holds[origin] = nil
            return nil
        }
    }

    private func hold(_ origin: Origin, for wait: Duration, named: Duration?, at now: Duration) {
        state.withLock { state in
            let earlier = state.holds[origin].flatMap { $0.until > now ? $0 : nil }
            state.holds[origin] = (
                until: max(earlier?.until ?? .zero, now + min(wait, longest)),
                wanted: [earlier?.wanted, named.map { now + $0 }].compactMap(\.self).max()
            )
        }
    }

    /// Whether no other address of the host was refused since the host's last other response.
    private func isOnlyOne(_ attempt: Attempt) -> Bool {
        let key = Self.key(attempt)
        let last = state.withLock { $0.refusedAlone.updateValue(key, forKey: attempt.origin) }
        return last == nil || last == key
    }

    private func markExhausted(_ attempt: Attempt) {
        state.withLock { state in
            if state.exhausted.count < Self.exhaustedLimit { state.exhausted.insert(Self.key(attempt)) }
        }
    }

    private static func key(_ attempt: Attempt) -> String {
        "\(attempt.request.method) \(attempt.address.text)"
    }
}

/// Limits the rate of requests to each host: at most one per interval.
///
/// It must be placed after the throttle. If the host's requests are delayed while a request waits for its turn, the request
/// waits for the end of the delay, and then for a new turn.
public final class PacingInterceptor: Interceptor {
    /// The minimum time from the start of one request to the start of the next.
    public let interval: Duration

    private let throttle: ThrottleInterceptor?
    private let slots = Mutex<[Origin: Duration]>([:])

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two requests to a host.
    ///   - throttle: The throttle before this interceptor. Default: none.
    public init(interval: Duration, behind throttle: ThrottleInterceptor? = nil) {
        self.interval = interval
        self.throttle = throttle
    }

    /// Waits for the request's turn.
    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.mayWait else { return }
        try await waitForTurn(&attempt)
        while let throttle, throttle.holds(attempt.origin, at: attempt.clock.elapsed()) {
            try await throttle.willSend(&attempt)
            try await waitForTurn(&attempt)
        }
    }

    private func waitForTurn(_ attempt: inout Attempt) async throws {
        let now = attempt.clock.elapsed()
        let slot = slots.withLock { slots in
            let slot = max(slots[attempt.origin] ?? now, now)
            slots[attempt.origin] = slot + interval
            return slot
        }
        try await attempt.pause(for: slot - now, because: .pacing)
    }
}
