import Foundation

/// Chooses so many of a known number, each with the same chance, in one pass and without holding any (Knuth, *The Art
/// of Computer Programming*, 3.4.2, algorithm S). The same seed chooses the same.
package struct SelectionSampler: Sendable {
    private(set) var wanted: Int
    private(set) var remaining: Int
    private var random: SplitMix

    package init(choosing wanted: Int, of total: Int, seed: UInt64) {
        self.wanted = min(wanted, total)
        remaining = total
        random = SplitMix(seed: seed)
    }

    /// Whether the next of them is chosen.
    package mutating func takesNext() -> Bool {
        guard remaining > 0, wanted > 0 else { return false }
        let takes = random.next(below: UInt64(remaining)) < UInt64(wanted)
        remaining -= 1
        if takes { wanted -= 1 }
        return takes
    }
}

/// Holds up to so many of a stream of unknown length, each with the same chance (algorithm R).
package struct Reservoir<Element: Sendable>: Sendable {
    package private(set) var chosen: [Element] = []
    /// How many there were to choose from.
    package private(set) var seen = 0
    private let capacity: Int
    private var random: SplitMix

    package init(capacity: Int, seed: UInt64) {
        self.capacity = capacity
        random = SplitMix(seed: seed)
    }

    package mutating func offer(_ element: @autoclosure () -> Element) {
        seen += 1
        guard chosen.count == capacity else { return chosen.append(element()) }
        let place = random.next(below: UInt64(seen))
        if place < UInt64(capacity) { chosen[Int(place)] = element() }
    }
}

/// A small generator that is the same on every machine (SplitMix64).
package struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func next(below bound: UInt64) -> UInt64 { next(upperBound: bound) }
}
