import Testing

@testable import OperationTree

struct FingerprintAndExpansionTests {
    @Test func fingerprintsAreEqualOnlyForEqualStrings() {
        #expect(Fingerprint("a") == Fingerprint(["b", "a"][1]))
        let strings = (0..<50_000).map { "\($0)" } + ["", "\0", "\0\0", "é", "e\u{301}"]
        #expect(Set(strings.map(Fingerprint.init).map(\.high)).count == strings.count)
        #expect(Set(strings.map(Fingerprint.init).map(\.low)).count == strings.count)
    }

    @Test func canonicallyEquivalentStringsHaveDifferentFingerprints() {
        // Equal as Swift strings, but different ids for a server.
        #expect("é" == "e\u{301}")
        #expect(Fingerprint("é") != Fingerprint("e\u{301}"))
    }

    @Test func pulledItemsAreNotRecordedBeyondTheLimit() {
        var pulled = PulledItems()
        let first = (0..<PulledItems.limit).filter { pulled.insert(Fingerprint("\($0)")) }
        #expect(first.count == PulledItems.limit)
        #expect(pulled.isRecorded)
        pulled.beginSecondTry()
        let next = ["0", "new"].filter { pulled.insert(Fingerprint($0)) }
        #expect(next == ["new"])
        #expect(!pulled.isRecorded)
    }

    @Test func expansionsReturnTheirItemsCountAndCompleteness() async throws {
        #expect(try await Expansion([1, 2]).collect() == [1, 2])
        #expect(Expansion([1, 2]).count == 2)
        #expect(Expansion(sequence(first: 1) { $0 < 3 ? $0 + 1 : nil }).count == nil)
        #expect(try await Expansion(sequence(first: 1) { $0 < 3 ? $0 + 1 : nil }).collect() == [1, 2, 3])
        #expect(try await Expansion<Int>.empty.collect() == [])
        #expect(try await Expansion.one(7).collect() == [7])
        let pages = Expansion<Int>.unfolding(0, count: 2, complete: { false }) { state in
            state += 1
            return state < 3 ? state : nil
        }
        #expect(try await pages.collect() == [1, 2])
        #expect(pages.count == 2 && !pages.isComplete)
    }
}

/// A small generator of reproducible pseudo-random numbers (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    mutating func next(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
