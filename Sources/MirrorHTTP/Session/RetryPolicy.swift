/// How often and how late a failed request is repeated: full jitter, U(0, min(cap, base · 2ⁿ)).
///
/// | repetition n | longest wait, base 0.25 s, cap 20 s |
/// |---|---|
/// | 0 | 0.25 s |
/// | 1 | 0.5 s |
/// | 2 | 1 s |
/// | 3 | 2 s |
/// | 7 and later | 20 s |
public struct RetryPolicy: Sendable, Hashable {
    /// Default 0.25 s.
    public var base: Duration
    /// Default 20 s.
    public var cap: Duration
    /// Repetitions of one request. Default 4.
    public var limit: Int

    public init(base: Duration = .milliseconds(250), cap: Duration = .seconds(20), limit: Int = 4) {
        self.base = base
        self.cap = cap
        self.limit = limit
    }

    /// The wait before repetition `n`, counted from 0; `random` is in `0..<1`.
    public func wait(before n: Int, random: Double) -> Duration {
        // 2^40 · base is beyond any cap; a larger shift would overflow.
        let longest = min(cap, base * Double(sign: .plus, exponent: min(max(n, 0), 40), significand: 1))
        return longest * random
    }
}

extension Duration {
    fileprivate static func * (a: Duration, b: Double) -> Duration {
        let (seconds, attoseconds) = a.components
        return .seconds((Double(seconds) + Double(attoseconds) * 1e-18) * b)
    }
}
