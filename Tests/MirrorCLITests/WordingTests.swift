import Testing

@testable import MirrorCLI

@Suite struct WordingTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000")])
    func numbersAreGroupedByThousands(number: Int, text: String) {
        #expect(Wording.count(number) == text)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (999_499, "999.5 kB"), (999_999, "1.0 MB"),
            (14_234_000, "14.2 MB"), (7_000_000_000_000, "7.0 TB"),
        ] as [(Int64, String)])
    func sizesUseUnitsOfAThousand(bytes: Int64, text: String) {
        #expect(Wording.bytes(bytes) == text)
    }

    @Test(arguments: [
        (0.0, "0.00 s"), (0.042, "0.04 s"), (0.999, "1.0 s"), (9.94, "9.9 s"), (9.96, "10 s"),
        (61, "1 min 1 s"),
        (120, "2 min"), (7_500, "2 h 5 min"), (200_000, "2 days"),
    ])
    func durationsAreShownWithUsefulPrecision(seconds: Double, text: String) {
        #expect(Wording.duration(seconds) == text)
    }

    @Test func aListIsJoinedWithCommasAndAnd() {
        #expect(Wording.list([]) == "")
        #expect(Wording.list(["a"]) == "a")
        #expect(Wording.list(["a", "b", "c"]) == "a, b and c")
    }
}
