import Synchronization

/// A pseudo-random number generator with a seed, for reproducible tests (SplitMix64).
public final class SeededRandom: RandomNumberGenerator, Sendable {
    private let state: Mutex<UInt64>

    /// Creates a generator. Equal seeds give equal numbers. Default: 1.
    public init(seed: UInt64 = 1) {
        self.state = Mutex(seed)
    }

    /// The next 64 bits.
    public func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    /// The next number, uniform in `0..<1`, as a session's configuration needs it.
    public func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
