import Synchronization

/// Slows down when a server asks for it: a 429, or a 503 with `Retry-After`, holds up every request to that host.
///
/// `Retry-After` is the least wait, up to a cap; without one, or with none in it, the wait is jittered like a retry's. A
/// request that is refused each time fails after its last attempt, and is sent only once when it is asked for again: one
/// address that a server always refuses holds up the others for those few waits. Stands before ``RetryInterceptor``, whose
/// budget it may share, and which is not asked about refusals.
///
/// One address whose refusal asks for a longer wait than may be waited fails alone; the host is held up when a second address
/// is refused so, with no other answer between. A request that waits for nothing, such as that for a server's status, holds
/// up no other.
public final class ThrottleInterceptor: Interceptor {
    public let policy: RetryPolicy
    public let budget: RetryBudget
    /// The longest `Retry-After` that is believed; a longer one counts as this. Default 1 h. What is more than a request, or
    /// the session, may still wait isn't waited for at all: the request fails, and the host is asked no sooner.
    public let longest: Duration

    /// When a host may be asked again, on the session's ``SessionClock/elapsed``.
    private struct Hold {
        var until: Duration
        /// When the server wanted to be asked again: later, if that is beyond ``longest``. `nil` if it named no time.
        var wanted: Duration?
    }

    private struct State {
        var holds: [Origin: Hold] = [:]
        /// Methods and addresses that were refused at every attempt, and have not answered anything else since.
        var spent: Set<String> = []
        /// By host, the address that was refused last with a wait that it may not wait, until the host answers anything else.
        var refusedAlone: [Origin: String] = [:]
    }

    private let state = Mutex(State())
    /// How many spent addresses are remembered; any other has all its attempts each time.
    private static let mostSpent = 10_000

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
        // Another request may be told to wait while this one does, so it looks again.
        while let (left, wanted) = wait(for: attempt.origin, at: attempt.clock.elapsed()) {
            do {
                try await attempt.pause(for: left, because: .throttling, wanted: wanted)
            } catch let error as HTTPError {
                if attempt.repeats > 0 { spend(attempt) }
                throw error
            }
        }
    }

    public func didReceive(_ outcome: Result<Response, any Error>, for attempt: inout Attempt) async throws
        -> Decision
    {
        guard case .success(let response) = outcome else { return .proceed }
        let status = response.status, isRefusal = status == 429 || status == 503
        let asked = isRefusal ? RetryAfter.wait(response.headers, now: attempt.clock.now()) : nil
        guard status == 429 || asked != nil else {
            state.withLock { state in
                // The key is only made where one is remembered.
                if !state.spent.isEmpty { state.spent.remove(Self.key(attempt)) }
                state.refusedAlone[attempt.origin] = nil
            }
            if attempt.memory > 0, status < 500 {
                budget.succeed(taken: attempt.memory)
                attempt.memory = 0
            }
            return .proceed
        }
        // "At once", or a date that is over, would have all that wait come back together.
        let named = asked.flatMap { $0 > .zero ? $0 : nil }
        let wait = named ?? policy.wait(before: attempt.repeats, random: attempt.random())
        guard attempt.mayWait else { return .settle }
        if !attempt.admits(min(wait, longest)), isAlone(attempt) {
            spend(attempt)
            return .settle
        }
        hold(attempt.origin, for: wait, named: named, at: attempt.clock.elapsed())
        if attempt.repeats >= policy.limit { spend(attempt) }
        // A 429 says that the request was turned away, so even one that isn't idempotent may be sent again.
        guard attempt.isIdempotent || status == 429, attempt.repeats < policy.limit,
            !state.withLock({ $0.spent.contains(Self.key(attempt)) }),
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
            state.holds[origin] = Hold(
                until: max(earlier?.until ?? .zero, now + min(wait, longest)),
                wanted: [earlier?.wanted, named.map { now + $0 }].compactMap(\.self).max())
        }
    }

    /// Whether no other address of its host was refused since the host last answered anything else.
    private func isAlone(_ attempt: Attempt) -> Bool {
        let key = Self.key(attempt)
        let last = state.withLock { $0.refusedAlone.updateValue(key, forKey: attempt.origin) }
        return last == nil || last == key
    }

    private func spend(_ attempt: Attempt) {
        state.withLock { state in
            if state.spent.count < Self.mostSpent { state.spent.insert(Self.key(attempt)) }
        }
    }

    private static func key(_ attempt: Attempt) -> String {
        "\(attempt.request.method) \(attempt.address.text)"
    }
}

/// Lets no more than one request in a given time go to each host.
///
/// A request waits for its turn after the interceptors before it have let it go: if the host has asked for a pause
/// meanwhile, the request waits for that, too, and then for a new turn.
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
