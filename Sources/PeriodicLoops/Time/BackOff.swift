/// How long to wait after failures in a row: exponentially longer, half of it by chance, up to a limit.
///
/// With the defaults, by failures in a row:
///
/// | failures | 1 | 2 | 3 | 6 | 10 | 12 and more |
/// |---|---|---|---|---|---|---|
/// | wait, seconds | 0.5–1 | 1–2 | 2–4 | 16–32 | 256–512 | 900–1,800 |
public struct BackOff: Sendable, Hashable {
    /// The longest wait after the first failure. Default: 1 s.
    public var first: Duration
    /// By what each further failure multiplies it. Default: 2. Less than 1 reads as 1.
    public var factor: Double
    /// The longest wait. Default: 30 min.
    public var limit: Duration

    public init(first: Duration = .seconds(1), factor: Double = 2, limit: Duration = .seconds(1_800)) {
        self.first = first
        self.factor = factor
        self.limit = limit
    }

    /// Never waits.
    public static let none = BackOff(first: .zero, limit: .zero)

    /// The wait after that many failures in a row: between half of the longest one and all of it.
    ///
    /// - Parameter random: What decides where in between, in `0..<1`; what is outside is taken for the nearer end.
    public func delay(afterFailures failures: Int, random: Double) -> Duration {
        let longest = ceiling(afterFailures: failures)
        // `min` and `max` in this order make a NaN a 0.
        let share = 0.5 + 0.5 * min(max(0, random), 1)
        return longest * share
    }

    /// The longest wait after that many failures in a row.
    public func ceiling(afterFailures failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        let limit = max(limit, .zero)
        var wait = max(first, .zero)
        let factor = max(1, factor)
        guard factor > 1 else { return min(wait, limit) }
        for _ in 1..<failures {
            if wait >= limit || wait == .zero { break }
            // Beyond the limit there is nothing to know, and a product could leave what a Duration can hold.
            let isBeyond = wait / limit * factor >= 1
            wait = isBeyond ? limit : wait * factor
        }
        return min(wait, limit)
    }
}
