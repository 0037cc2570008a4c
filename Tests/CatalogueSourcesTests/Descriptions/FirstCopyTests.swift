import CatalogueSources
import Testing

@Suite struct FirstCopyTests {
    @Test func theMetTakesAboutSixDays() throws {
        let met = try SourceDescription(yaml: MetDescription.text, file: "met.yaml")
        let copy = try #require(FirstCopy(met, listHasObjects: false))
        #expect(copy.requests == 498_001)
        #expect(copy.duration == .seconds(6 * 86_400 + 18_001))
        #expect(copy.description == "about 498,000 requests, about 6 days")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let works: Int
        var form = ListDescription.Form.page
        var size: Int? = 100
        var objectsPerRequest = 0
        var requests: Double? = 1
        var interval: Duration = .seconds(1)
        var perDay: Int?
        let text: String
        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(works: 120_000, text: "about 1,200 requests, about 20 minutes"),
        Case(works: 68_954, form: .offset, size: 1_000, requests: nil, text: "about 69 requests"),
        Case(works: 120_000, objectsPerRequest: 1, text: "about 121,000 requests, about 34 hours"),
        Case(works: 120_000, objectsPerRequest: 50, text: "about 3,600 requests, about 60 minutes"),
        Case(works: 5, form: .whole, size: nil, text: "1 request, less than a minute"),
        Case(works: 101, text: "about 2 requests, less than a minute"),
        Case(works: 6_000, requests: 60, interval: .seconds(60), text: "about 60 requests, about 1 minute"),
        Case(works: 6_000, requests: 0.5, text: "about 60 requests, about 2 minutes"),
        Case(
            works: 360_000, requests: 30, interval: .seconds(60), text: "about 3,600 requests, about 2 hours"),
        Case(works: 130_000, perDay: 1_000, text: "about 1,300 requests, about 24 hours"),
        Case(works: 100_000, perDay: 1_000, text: "about 1,000 requests, about 17 minutes"),
        Case(works: 300_000, requests: nil, perDay: 1_000, text: "about 3,000 requests, about 2 days"),
        Case(works: 100_000, requests: nil, perDay: 1_000, text: "about 1,000 requests"),
        // The rate alone takes longer than the days' limits.
        Case(
            works: 100_000, requests: 100, interval: .seconds(86_400), perDay: 500,
            text: "about 1,000 requests, about 10 days"),
        Case(
            works: 1_000_000_000, size: 1, objectsPerRequest: 1,
            text: "about 2,000,000,000 requests, about 23,100 days"),
    ]) func aFirstCopyIsEstimatedFromWorksListAndRate(_ test: Case) {
        var rate = RequestRate()
        (rate.requests, rate.interval, rate.perDay) = (test.requests, test.interval, test.perDay)
        let copy = FirstCopy(
            works: test.works, form: test.form, size: test.size, objectsPerRequest: test.objectsPerRequest,
            rate: rate)
        #expect(copy.description == test.text)
    }

    @Test func aDescriptionWithoutANumberOfWorksHasNoEstimate() throws {
        let tiny = try TinyDescription.reading("A Tiny", with: "A Tiny")
        #expect(FirstCopy(tiny, listHasObjects: true) == nil)
        let sized = try TinyDescription.reading("artworks:", with: "works: 1000\nartworks:")
        #expect(FirstCopy(sized, listHasObjects: true)?.requests == 10)
        #expect(FirstCopy(sized, listHasObjects: false)?.requests == 1_010)
    }
}
