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

    private let opening = Mutex<[Origin: Hold]>([:])
    /// Methods and addresses that were refused at every attempt, and have not answered anything else since.
    private let spent = Mutex<Set<String>>([])
    /// By host, the address that was refused last with a wait that it may not wait, until the host answers anything else.
    private let refusedAlone = Mutex<[Origin: String]>([:])
    /// How many of them are remembered; any other address has all its attempts each time.
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
        guard attempt.mayWait, opening.withLock({ !$0.isEmpty }) else { return }
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

    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard case .response(let status, let headers, _) = outcome else { return .proceed }
        let asked =
            status == 429 || status == 503 ? RetryAfter.wait(headers, now: attempt.clock.now()) : nil
        guard status == 429 || (status == 503 && asked != nil) else {
            spent.withLock { spent in
                if !spent.isEmpty { spent.remove(Self.key(attempt)) }
            }
            refusedAlone.withLock { refused in
                if !refused.isEmpty { refused[attempt.origin] = nil }
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
            !spent.withLock({ $0.contains(Self.key(attempt)) }),
            let taken = budget.take(afterTimeout: false)
        else { return .settle }
        attempt.memory = taken
        return .repeat(after: .zero)
    }

    /// Whether requests to that host wait now.
    func holds(_ origin: Origin, at now: Duration) -> Bool { wait(for: origin, at: now) != nil }

    private func wait(for origin: Origin, at now: Duration) -> (left: Duration, wanted: Duration?)? {
        opening.withLock { opening in
            guard let hold = opening[origin] else { return nil }
            if hold.until > now {
                return (hold.until - now, hold.wanted.flatMap { $0 > now ? $0 - now : nil })
            }
            opening[origin] = nil
            return nil
        }
    }

    private func hold(_ origin: Origin, for wait: Duration, named: Duration?, at now: Duration) {
        opening.withLock { opening in
            let earlier = opening[origin].flatMap { $0.until > now ? $0 : nil }
            opening[origin] = Hold(
                until: max(earlier?.until ?? .zero, now + min(wait, longest)),
                wanted: [earlier?.wanted, named.map { now + $0 }].compactMap(\.self).max())
        }
    }

    /// Whether no other address of its host was refused since the host last answered anything else.
    private func isAlone(_ attempt: Attempt) -> Bool {
        let key = Self.key(attempt)
        return refusedAlone.withLock { refused in
            let last = refused.updateValue(key, forKey: attempt.origin)
            return last == nil || last == key
        }
    }

    private func spend(_ attempt: Attempt) {
        spent.withLock { spent in
            if spent.count < Self.mostSpent { spent.insert(Self.key(attempt)) }
        }
    }

    private static func key(_ attempt: Attempt) -> String {
        "\(attempt.request.method) \(attempt.address.text)"
    }
}
