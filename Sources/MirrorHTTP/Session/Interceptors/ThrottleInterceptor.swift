import Synchronization

/// Slows down when a server asks for it: a 429, or a 503 with `Retry-After`, holds up every request to that host.
///
/// `Retry-After` is the least wait, up to a cap; without it, or if it is 0, the wait is jittered like a retry's. A request
/// that is refused each time fails after its last attempt, and the next request for the same address is sent only once: an
/// address that a server always refuses holds up the others for those few waits. Stands before ``RetryInterceptor``, whose
/// budget it may share, and which is not asked about refusals.
///
/// If one address is refused with a longer wait than is allowed, that request fails alone; the host is held up when a second
/// address is refused so, with no other answer between. A request that may not wait, such as that for a server's status,
/// holds up no other.
public final class ThrottleInterceptor: Interceptor {
    public let policy: RetryPolicy
    public let budget: RetryBudget
    /// The longest `Retry-After`; a longer one counts as this. Default 1 h. If it is more than the request or the session may
    /// still wait, the request fails at once, and the host is asked no sooner.
    public let longest: Duration

    /// When a host may be asked again, on the session's ``SessionClock/elapsed``; and the time that the server named, which is
    /// later if it is beyond ``longest``, and `nil` if it named none.
    private typealias Hold = (until: Duration, wanted: Duration?)

    private struct State {
        var holds: [Origin: Hold] = [:]
        /// Methods and addresses that were refused at every attempt, and have not been answered otherwise since.
        var exhausted: Set<String> = []
        /// By host, the address that was refused last with a longer wait than is allowed, until the host answers otherwise.
        var refusedAlone: [Origin: String] = [:]
    }

    private let state = Mutex(State())
    /// How many exhausted addresses are remembered; any other has all its attempts each time.
    private static let exhaustedLimit = 10_000

    /// - Parameter policy: default: 7 repetitions, thus 8 attempts.
    public init(
        policy: RetryPolicy = RetryPolicy(base: .seconds(1), cap: .seconds(60), limit: 7),
        budget: RetryBudget = RetryBudget(), longest: Duration = .seconds(3_600)
    ) {
        self.policy = policy
        self.budget = budget
        self.longest = longest
    }

    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.mayWait, state.withLock({ !$0.holds.isEmpty }) else { return }
        // The pause may become longer meanwhile, so check again.
        while let (left, wanted) = wait(for: attempt.origin, at: attempt.clock.elapsed()) {
            do {
                try await attempt.pause(for: left, because: .throttling, wanted: wanted)
            } catch let error as HTTPError {
                if attempt.repeats > 0 { markExhausted(attempt) }
                throw error
            }
        }
    }

    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard case .success(let response) = outcome else { return .proceed }
        let status = response.status, isRefusal = status == 429 || status == 503
        let asked = isRefusal ? RetryAfter.wait(response.headers, now: attempt.clock.now()) : nil
        guard status == 429 || asked != nil else {
            state.withLock { state in
                // The key is only made where one is remembered.
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

    /// Whether requests to that host wait now.
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

    /// Whether no other address of its host was refused since the host last answered otherwise.
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

/// Lets no more than one request in a given time go to each host.
///
/// It stands behind the throttle. If the host asks for a pause while a request waits for its turn, the request waits for the
/// end of the pause, and then for a new turn.
public final class PacingInterceptor: Interceptor {
    /// From the start of one request to the start of the next.
    public let interval: Duration

    private let throttle: ThrottleInterceptor?
    private let slots = Mutex<[Origin: Duration]>([:])

    /// - Parameter throttle: the one that stands before this, if one does. Default: none.
    public init(interval: Duration, behind throttle: ThrottleInterceptor? = nil) {
        self.interval = interval
        self.throttle = throttle
    }

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
