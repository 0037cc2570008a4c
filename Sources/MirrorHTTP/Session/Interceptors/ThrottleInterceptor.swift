import Synchronization

/// Delays all requests to a host that refuses requests: after a 429, or a 503 with `Retry-After`.
///
/// A host is an `Origin` here: scheme, host name and port.
///
/// - The wait is at least `Retry-After`, but at most ``longest``. Without `Retry-After`, or if it is 0, the wait is random, as
///   between retries (``policy``).
/// - A request that is refused at each attempt fails after its last attempt. Until its address is answered in another way, each
///   further request for it is sent only once. So an address that is always refused delays other requests only a few times.
/// - A request fails at once if it may not wait that long (``SessionConfiguration/longestWait``, and the session's
///   own limit on waits). If only one address is refused in this way, other requests are not delayed. They are delayed if a
///   second address is refused in the same way, with no other response of the host in between.
/// - A request that must not wait, such as one for a server's status, delays no other request.
/// - In a session that obeys rules (`HostRules`), nothing is sent to a host before the time of its `Retry-After`, also after a 403, a
///   413 or another 5xx. Such a wait counts only towards the session's limit, and is never reduced. If the limit doesn't allow it,
///   requests to the host fail with code ``HTTPError/Code/waitTooLong``.
/// - A host that blocks requests in another way is delayed here, too (``BlockInterceptor``).
///
/// It must be placed before ``RetryInterceptor``. It handles refusals itself, and doesn't pass them on. Both should share one
/// budget.
public final class ThrottleInterceptor: Interceptor {
    /// The number of repetitions, and their waits if the server sends no `Retry-After`.
    public let policy: RetryPolicy
    /// The budget of repetitions.
    public let budget: RetryBudget
    /// The longest wait; a longer `Retry-After` is reduced to this. Default 1 h.
    ///
    /// If the request or the session may not wait that long, the request fails at once.
    public let longest: Duration

    /// A delay of all requests to a host. Times are on the session's ``SessionClock/elapsed``.
    ///
    /// - `until`: when the host may be requested again.
    /// - `retryAt`: the time that `Retry-After` requested. It is later than `until` if the wait was reduced to ``longest``; `nil`
    ///   without `Retry-After`.
    /// - `block`: set if the host blocks requests (``BlockInterceptor``).
    private typealias Delay = (until: Duration, retryAt: Duration?, block: Block?)

    /// Why a host is delayed that blocks requests.
    struct Block: Sendable {
        /// The error of a request that can't wait for the end of the delay.
        let error: HTTPError
        /// Whether requests fail during the delay instead of waiting, because the host was blocked too often in a row.
        let failsRequests: Bool
    }

    private struct State {
        var delays: [Origin: Delay] = [:]
        /// Methods and addresses that were refused at every attempt, until they get another response.
        var exhausted: Set<String> = []
        /// By host, the last address that was refused with a wait that the limits don't allow. Removed when the host sends
        /// another response.
        var lastTooLongWait: [Origin: String] = [:]
    }

    private let state = Mutex(State())
    /// The maximum size of `exhausted`. Further addresses aren't stored, so requests for them always get all attempts.
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
        guard attempt.mayWait || attempt.keepsRetryAfter, state.withLock({ !$0.delays.isEmpty }) else {
            return
        }
        // Another response may have extended the wait, so check again.
        while let (left, retryAfter, block) = wait(for: attempt.origin, at: attempt.clock.elapsed()) {
            if attempt.keepsRetryAfter, let retryAfter {
                try await attempt.hold(
                    for: max(left, retryAfter), because: block == nil ? .throttling : .blocked)
                continue
            }
            guard attempt.mayWait else { return }
            if let block, block.failsRequests { throw block.error }
            do {
                try await attempt.pause(
                    for: left, because: block == nil ? .throttling : .blocked, wanted: retryAfter)
            } catch let error as HTTPError {
                if attempt.repeats > 0 { markExhausted(attempt) }
                throw block?.error ?? error
            }
        }
    }

    /// Delays the host's requests after a refusal, and repeats this one if the policy and the limits allow it.
    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard case .success(let response) = outcome else { return .proceed }
        let status = response.status
        let retryAfter =
            Self.mayRefuse(response, attempt)
            ? RetryAfter.wait(response.headers, now: attempt.clock.now()) : nil
        guard status == 429 || retryAfter != nil else {
            state.withLock { state in
                // Computing the key is only necessary if the set isn't empty.
                if !state.exhausted.isEmpty { state.exhausted.remove(Self.key(attempt)) }
                state.lastTooLongWait[attempt.origin] = nil
            }
            if attempt.memory > 0, status < 500 {
                budget.succeed(taken: attempt.memory)
                attempt.memory = 0
            }
            return .proceed
        }
        // With a wait of 0, or a date in the past, all waiting requests would be sent at the same time and be refused again. So
        // the wait is random then.
        let requested = retryAfter.flatMap { $0 > .zero ? $0 : nil }
        let wait = requested ?? policy.wait(before: attempt.repeats, random: attempt.random())
        if attempt.keepsRetryAfter, let requested {
            delay(attempt.origin, by: requested, requested: requested, at: attempt.clock.elapsed())
            guard attempt.admitsHold(requested) else { throw attempt.waitTooLong(requested) }
        } else {
            guard attempt.mayWait else { return .settle }
            if !attempt.admits(min(wait, longest)), recordTooLongWait(attempt) {
                markExhausted(attempt)
                return .settle
            }
            delay(
                attempt.origin, by: min(wait, longest), requested: requested, at: attempt.clock.elapsed())
        }
        if attempt.repeats >= policy.limit { markExhausted(attempt) }
        // A 429 means that the request was not processed, so even one that isn't idempotent may be sent again.
        guard attempt.isIdempotent || status == 429, attempt.repeats < policy.limit,
            !state.withLock({ $0.exhausted.contains(Self.key(attempt)) }),
            let taken = budget.take(afterTimeout: false)
        else { return .settle }
        attempt.memory = taken
        return .repeat(after: .zero)
    }

    /// Whether a response with `Retry-After` asks to slow down.
    private static func mayRefuse(_ response: Response, _ attempt: Attempt) -> Bool {
        let status = response.status
        if status == 429 || status == 503 { return true }
        guard let rules = attempt.session.rules, status == 403 || status == 413 || status >= 500 else {
            return false
        }
        return !rules.blocks.contains { $0.matches(status: status, response.headers) }
    }

    /// Whether requests to the host are delayed at this time.
    func isDelayed(_ origin: Origin, at now: Duration) -> Bool { wait(for: origin, at: now) != nil }

    private func wait(for origin: Origin, at now: Duration) -> (
        left: Duration, retryAfter: Duration?, block: Block?
    )? {
        state.withLock { state in
            guard let delay = state.delays[origin] else { return nil }
            if delay.until > now {
                return (
                    delay.until - now, delay.retryAt.flatMap { $0 > now ? $0 - now : nil }, delay.block
                )
            }
            state.delays[origin] = nil
            return nil
        }
    }

    /// Delays all requests to a host. A delay that ends later stays.
    ///
    /// - Parameters:
    ///   - wait: The time to wait.
    ///   - requested: The wait that the server requested, which may be longer; `nil` if it requested none.
    ///   - block: Set if the host blocks requests. Default: it only asks to slow down.
    func delay(
        _ origin: Origin, by wait: Duration, requested: Duration?, at now: Duration, block: Block? = nil
    ) {
        state.withLock { state in
            let earlier = state.delays[origin].flatMap { $0.until > now ? $0 : nil }
            state.delays[origin] = (
                until: max(earlier?.until ?? .zero, now + wait),
                retryAt: [earlier?.retryAt, requested.map { now + $0 }].compactMap(\.self).max(),
                block: block ?? earlier?.block
            )
        }
    }

    /// Records that an address was refused with a wait that the limits don't allow.
    ///
    /// - Returns: whether it is the only such address of the host since the host's last other response.
    private func recordTooLongWait(_ attempt: Attempt) -> Bool {
        let key = Self.key(attempt)
        let last = state.withLock { $0.lastTooLongWait.updateValue(key, forKey: attempt.origin) }
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
/// It must be placed after the throttle. If the host's requests are delayed while a request waits for its slot, the request
/// waits for the end of the delay, and then for a new slot.
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

    /// Waits for the request's slot.
    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.mayWait else { return }
        try await waitForSlot(&attempt)
        while let throttle, throttle.isDelayed(attempt.origin, at: attempt.clock.elapsed()) {
            try await throttle.willSend(&attempt)
            try await waitForSlot(&attempt)
        }
    }

    private func waitForSlot(_ attempt: inout Attempt) async throws {
        let now = attempt.clock.elapsed()
        let slot = slots.withLock { slots in
            let slot = max(slots[attempt.origin] ?? now, now)
            slots[attempt.origin] = slot + interval
            return slot
        }
        try await attempt.pause(for: slot - now, because: .pacing)
    }
}
