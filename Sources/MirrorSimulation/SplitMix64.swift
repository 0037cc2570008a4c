/// Random numbers that are the same in every run and on every machine: SplitMix64 from a seed.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Another sequence, which no number that is drawn here changes.
    mutating func branch() -> SplitMix64 { SplitMix64(seed: next()) }

    /// In `0..<count`; 0 for none.
    mutating func below(_ count: Int) -> Int { count < 2 ? 0 : Int(next() % UInt64(count)) }

    /// Whether something happens that does in `percent` of 100 cases.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Uniform in `0..<1`.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// One of them; the first, should there be none of the others.
    mutating func one<T>(of first: T, _ others: T...) -> T {
        let place = below(others.count + 1)
        return place == 0 ? first : others[place - 1]
    }

    mutating func element<T>(of all: [T]) -> T? { all.isEmpty ? nil : all[below(all.count)] }

    /// Some of them, in random order.
    mutating func some<T>(of all: [T], percent: Int) -> [T] {
        var chosen: [T] = []
        for item in all where chance(percent) { chosen.insert(item, at: below(chosen.count + 1)) }
        return chosen
    }
}
