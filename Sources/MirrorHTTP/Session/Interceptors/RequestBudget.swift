import Foundation

/// Decides when requests to one host may be sent, and how many on one day. It is a value that gets the time as an argument.
///
/// - **Rate**: a token bucket for a single token, so that requests are evenly spaced. With 20 requests a second, any two are
///   50 ms apart, and no second contains more than 21. A request gets a slot in order (``reserve(at:)``). When it is sent, its
///   distance to the request before is checked again (``send(at:)``), because a busy computer may wake several waiting requests
///   at once.
/// - **Day**: the requests of a day (UTC) are counted. The stored number is always ahead: before a request exceeds it, a number
///   higher by a lease is stored. So a killed program never sends more than the budget after its restart, loses at most a
///   lease, and stores rarely. A lease is a hundredth of the budget, from 1 to 100 requests.
public struct RequestBudget: Sendable {
    /// How many requests a host may be sent.
    public struct Limits: Sendable, Hashable {
        /// The number of requests in each ``interval``; `nil` for no limit.
        public var requests: Double?
        /// The time to which ``requests`` refers.
        public var interval: Duration
        /// The maximum number of requests on one day (UTC); `nil` for no limit.
        public var perDay: Int?
        /// The maximum number of concurrent requests; `nil` for no limit of its own.
        public var parallel: Int?

        /// Creates limits. Default: none.
        public init(
            requests: Double? = nil, per interval: Duration = .seconds(1), perDay: Int? = nil,
            parallel: Int? = nil
        ) {
            self.requests = requests
            self.interval = interval
            self.perDay = perDay
            self.parallel = parallel
        }

        /// The minimum time between two requests; zero without a limit.
        public var spacing: Duration {
            guard let requests, requests > 0 else { return .zero }
            return interval / requests
        }

        /// The number of requests in flight for ``Concurrency/fixed(_:)``; `nil` if these limits don't bound it.
        ///
        /// Without ``parallel``, it is the number of requests that a slow rate sends in 10 s, so that only a few requests wait
        /// for their slots.
        public var width: Int? {
            if let parallel { return max(1, parallel) }
            guard spacing > .zero else { return nil }
            let slots = Duration.seconds(10) / spacing
            return slots < Double(ConcurrencyLimit.start) ? max(1, Int(slots)) : nil
        }
    }

    /// The number of requests of one day, as it is stored.
    public struct DayCount: Sendable, Hashable {
        /// The number of days from 1 January 1970 to this day, in UTC.
        public var day: Int
        /// The number of requests.
        public var requests: Int

        /// Creates a count.
        public init(day: Int, requests: Int) { (self.day, self.requests) = (day, requests) }

        /// The number of the day of a date.
        public static func day(of date: Date) -> Int {
            Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
        }
    }

    /// What the day's budget says about a request.
    package enum DayDecision: Sendable, Hashable {
        /// The request may be sent.
        case send
        /// The request may be sent after this number is stored.
        case sendAfterStoring(DayCount)
        /// The request must not be sent before this day.
        case usedUp(until: Int)
    }

    package let limits: Limits
    /// The requests of the current day.
    package private(set) var count: DayCount
    /// The stored number of requests of the day.
    private var stored: Int
    private var nextSlot: Duration = .zero
    private var lastSent: Duration?

    /// Creates a budget.
    ///
    /// - Parameter restored: The count that was stored last; `nil` if there is none.
    package init(_ limits: Limits, restored: DayCount? = nil) {
        self.limits = limits
        count = restored ?? DayCount(day: 0, requests: 0)
        stored = count.requests
    }

    /// Gives the next slot to a request, and returns the time until then.
    package mutating func reserve(at now: Duration) -> Duration {
        let slot = max(nextSlot, now)
        nextSlot = slot + limits.spacing
        return slot - now
    }

    /// Records that a request is sent now, and returns `nil`; or returns the time that it must still wait.
    ///
    /// - Parameter mayWait: Default `true`. If `false`, the request is recorded in any case.
    package mutating func send(at now: Duration, mayWait: Bool = true) -> Duration? {
        if mayWait, let lastSent, lastSent + limits.spacing > now { return lastSent + limits.spacing - now }
        lastSent = now
        nextSlot = max(nextSlot, now + limits.spacing)
        return nil
    }

    /// The day on which requests may be sent again; `nil` if today's budget isn't used up.
    package mutating func usedUp(at date: Date) -> Int? {
        guard let perDay = limits.perDay else { return nil }
        begin(DayCount.day(of: date))
        return count.requests >= perDay ? count.day + 1 : nil
    }

    /// Counts a request that is about to be sent.
    package mutating func countRequest(at date: Date) -> DayDecision {
        guard let perDay = limits.perDay else { return .send }
        if let day = usedUp(at: date) { return .usedUp(until: day) }
        count.requests += 1
        guard count.requests > stored else { return .send }
        let lease = min(max(perDay / 100, 1), 100)
        stored = min(perDay, count.requests - 1 + lease)
        return .sendAfterStoring(DayCount(day: count.day, requests: stored))
    }

    /// The exact count, to be stored at the end of a run; `nil` if it is stored already.
    package mutating func settle() -> DayCount? {
        guard limits.perDay != nil, stored != count.requests else { return nil }
        stored = count.requests
        return count
    }

    /// Begins a new day, unless the count is already of this day.
    private mutating func begin(_ today: Int) {
        if today > count.day {
            (count, stored) = (DayCount(day: today, requests: 0), 0)
        } else if today < count.day - 1 {
            // The clock was far ahead when the count was stored. The requests may have been today's. A count of the next day
            // stays, so that setting a clock by some hours gives no second budget.
            (count.day, stored) = (today, 0)
        }
    }
}
