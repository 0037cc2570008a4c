import MirrorSync

/// Random choices from a seed.
extension SplitMix {
    /// Another generator, whose numbers don't depend on later draws from this one.
    mutating func branch() -> SplitMix { SplitMix(seed: next()) }

    /// A number in `0..<count`; 0 if `count` is below 2.
    mutating func below(_ count: Int) -> Int { count < 2 ? 0 : Int(next() % UInt64(count)) }

    /// `true` in `percent` of 100 cases.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Uniform in `0..<1`.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// One of the values.
    mutating func one<T>(of first: T, _ others: T...) -> T {
        let index = below(others.count + 1)
        return index == 0 ? first : others[index - 1]
    }

    mutating func element<T>(of all: [T]) -> T? { all.isEmpty ? nil : all[below(all.count)] }

    /// Each element with that probability, in random order.
    mutating func some<T>(of all: [T], percent: Int) -> [T] {
        var chosen: [T] = []
        for item in all where chance(percent) { chosen.insert(item, at: below(chosen.count + 1)) }
        return chosen
    }
}
