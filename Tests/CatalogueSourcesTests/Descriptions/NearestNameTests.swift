import Testing

@testable import CatalogueSources

@Suite struct NearestNameTests {
    private static let names = ["form", "get", "rows", "total", "window", "until_older", "per_day", "is"]

    @Test(arguments: [
        ("row", "rows"), ("rwos", "rows"), ("ROWS", "rows"), ("totals", "total"), ("totl", "total"),
        ("widow", "window"),
        ("windwo", "window"), ("until-older", "until_older"), ("untillolder", "until_older"),
        ("perday", "per_day"),
        ("gets", "get"), ("fomr", "form"), ("id", "is"),
    ]) func aMisspeltNameHasANearestOne(_ unknown: String, _ name: String) {
        #expect(NearestName(of: unknown, in: Self.names).name == name)
    }

    @Test(arguments: [
        "", "x", "first", "size", "w", "totality", "row_count", String(repeating: "rows", count: 100),
    ])
    func aDifferentNameHasNone(_ unknown: String) {
        #expect(NearestName(of: unknown, in: Self.names).name == nil)
    }

    @Test func editsAreCountedWithExchangesOfNeighbours() {
        #expect(NearestName.edits(Array("abcd"), Array("abdc")) == 1)
        #expect(NearestName.edits(Array(""), Array("abc")) == 3)
        #expect(NearestName.edits(Array("kitten"), Array("sitting")) == 3)
    }

    @Test(arguments: [
        ("rows", "\"rows\""), ("a\u{1B}[31m", "\"a<U+001B>[31m\""), ("a\u{202E}b", "\"a<U+202E>b\""),
        ("a\nb", "\"a<U+000A>b\""),
        (String(repeating: "é", count: 70), "\"" + String(repeating: "é", count: 60) + "…\""),
    ]) func aNameIsQuotedSafely(_ name: String, _ quoted: String) {
        #expect(name.quoted == quoted)
    }
}
