import MirrorSimulation
import Testing

@Suite("Fuzzing") struct FuzzTests {
    /// The first inputs of each target are its unchanged seeds; the others are mutations of them.
    @Test(arguments: FuzzTarget.all.map(\.name)) func everyFuzzTargetPassesItsChecks(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        #expect(!target.seeds.isEmpty)
        let trial = FuzzTrial(target, seed: 7)
        for number in 0..<UInt64(100) { #expect(trial.run(number) == nil) }
    }

    @Test func namesOfFuzzTargetsAreUnique() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    }

    @Test func aFuzzSeedAlwaysMakesTheSameInputs() throws {
        let target = try #require(FuzzTarget.all.first { $0.name == "payload" })
        let lines = [Array("{\"id\":\"from a catalogue\"}".utf8)]
        func inputs(_ seed: UInt64) -> [[UInt8]] {
            let trial = FuzzTrial(target, seed: seed, lines: lines)
            return (0..<500).map { trial.input($0) }
        }
        #expect(inputs(1) == inputs(1) && inputs(1) != inputs(2))
        #expect(inputs(1).contains(lines[0]) && Set(inputs(1)).count > 400)
    }

    /// A reader of numbers in brackets with a bug: it doesn't require the closing bracket after 0.
    private static let planted = FuzzTarget("planted", seeds: ["[1] [12] [7]", "[3"]) {
        (input: [UInt8]) throws(FuzzFinding) in
        for (index, byte) in input.enumerated() where byte == UInt8(ascii: "[") {
            let rest = input[(index + 1)...].prefix(2)
            if rest.first == UInt8(ascii: "0"), rest.last != UInt8(ascii: "]") {
                throw FuzzFinding("A bracket is closed.")
            }
        }
    }

    @Test func fuzzingFindsShrinksAndReproducesAPlantedBug() throws {
        let trial = FuzzTrial(Self.planted, seed: 1)
        let failure = try #require((0..<20_000).lazy.compactMap { trial.run($0) }.first)
        #expect(failure.sentence == "A bracket is closed.")
        #expect(failure.input == Array("[0".utf8))
        #expect(FuzzTrial(Self.planted, seed: 1).run(failure.number) == failure)
        #expect(throws: FuzzFinding.self) { try Self.planted.check(trial.input(failure.number)) }
    }

    @Test func aFuzzInputIsPrintedWithEscapes() {
        #expect(([0x61, 0x22, 0x5C, 0x1B, 0xFF, 0x0A] as [UInt8]).fuzzText == #"a\"\\\x1b\xff\x0a"#)
    }
}
