/// An exponential back-off with jitter: the wait after consecutive failures.
///
/// The wait grows by a factor with each failure, up to a limit. Half of it is random. With the defaults:
///
/// | failures | 1 | 2 | 3 | 6 | 10 | 12 and more |
/// |---|---|---|---|---|---|---|
/// | wait, seconds | 0.5–1 | 1–2 | 2–4 | 16–32 | 256–512 | 900–1,800 |
public struct BackOff: Sendable, Hashable {
    /// The longest wait after the first failure. Default: 1 s.
    public var first: Duration
    /// The growth of the wait with each further failure. Default: 2. Less than 1 is treated as 1.
    public var factor: Double
    /// The longest wait. Default: 30 min.
    public var limit: Duration

    /// Creates a back-off.
    public init(first: Duration = .seconds(1), factor: Double = 2, limit: Duration = .seconds(1_800)) {
        self.first = first
        self.factor = factor
        self.limit = limit
    }

    /// No wait.
    public static let none = BackOff(first: .zero, limit: .zero)

    /// The wait after a number of consecutive failures: between half the ceiling and the ceiling.
    ///
    /// - Parameters:
    ///   - failures: The number of consecutive failures.
    ///   - random: A random number in `0..<1`, which selects the wait. Other numbers are clamped.
    public func delay(afterFailures failures: Int, random: Double) -> Duration {
        let longest = ceiling(afterFailures: failures)
        // In this order, `min` and `max` turn NaN into 0.
        let share = 0.5 + 0.5 * min(max(0, random), 1)
        return longest * share
    }

    /// The longest wait after a number of consecutive failures; zero without failures.
    public func ceiling(afterFailures failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        let limit = max(limit, .zero)
        var wait = max(first, .zero)
        let factor = max(1, factor)
        guard factor > 1 else { return min(wait, limit) }
        for _ in 1..<failures {
            if wait >= limit || wait == .zero { break }
            // Compared as a quotient, because the product could overflow a Duration.
            let isBeyond = wait / limit * factor >= 1
            wait = isBeyond ? limit : wait * factor
        }
        return min(wait, limit)
    }
}
