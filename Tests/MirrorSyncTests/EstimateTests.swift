import MirrorStore
import Testing

@testable import MirrorSync

@Suite("Estimates from samples") struct EstimateTests {
    @Test func aReservoirKeepsARandomSampleOfAStream() {
        var reservoir = Reservoir<Int>(capacity: 50, seed: 1)
        for number in 0..<30 { reservoir.offer(number) }
        #expect(reservoir.chosen == Array(0..<30))
        for number in 30..<10_000 { reservoir.offer(number) }
        #expect(reservoir.chosen.count == 50 && reservoir.seen == 10_000)
        #expect(Set(reservoir.chosen).count == 50)
        #expect(reservoir.chosen.contains { $0 > 5_000 })
    }

    /// The expected values were computed by hand, for 90 %.
    @Test(arguments: [
        (0, 50, 0.0, 0.0513), (5, 50, 0.0493, 0.1920), (25, 50, 0.3867, 0.6133), (50, 50, 0.9487, 1.0),
        (1, 10, 0.0226, 0.3477),
    ])
    func theWilsonIntervalMatchesKnownValues(changed: Int, sampled: Int, low: Double, high: Double) {
        let interval = Estimate.wilson(changed: changed, of: sampled)
        #expect(abs(interval.low - low) < 0.001, "\(interval)")
        #expect(abs(interval.high - high) < 0.001, "\(interval)")
    }

    @Test func anEstimateFromAllElementsIsExactAndFromSomeIsNot() {
        #expect(Estimate.share(changed: 3, of: 40, in: 40) == Estimate(3, sampled: 40))
        #expect(Estimate.share(changed: 0, of: 0, in: 0).isExact)
        let some = Estimate.share(changed: 5, of: 50, in: 1_000)
        #expect(some.rounded == 100 && (80...100).contains(some.roundedMargin))
        let none = Estimate.share(changed: 0, of: 50, in: 1_000)
        #expect(none.rounded == 0 && (40...55).contains(none.roundedMargin))
        #expect(Estimate.share(changed: 0, of: 0, in: 9).roundedMargin == 9)
        // The margin is narrower if the sample is a larger share of all.
        let half = Estimate.share(changed: 5, of: 50, in: 100)
        #expect(half.margin / 100 < some.margin / 1_000)
    }

    @Test func anEstimatedSumHasTheMarginOfItsSample() {
        // Of 90, 100, 110 and 100.
        let sizes = SizeHistory.Sizes(count: 4, mean: 100, variance: 66.67)
        let sum = Estimate.sum(of: 1_000, sizes)
        #expect(sum.rounded == 100_000)
        // t(3) × √(66.67 / 4 × 1000² + 66.67 × 1000) = 2.353 × 4,091
        #expect(abs(sum.margin - 9_626) < 20, "\(sum.margin)")
        #expect(Estimate.sum(of: 0, sizes) == .zero)
        #expect(Estimate.sum(of: 10, .init(count: 1, mean: 7, variance: 0)) == Estimate(70, margin: 70))
        #expect(abs(Estimate.studentT(49) - 1.677) < 0.002)
        #expect((Estimate(1, margin: 3) + Estimate(2, margin: 4)) == Estimate(3, margin: 5))
    }
}

@Suite("Estimates from sampled groups") struct SampledGroupTests {
    @Test func differingSampleGroupsWidenTheMargin() {
        let groups = [SampledGroup(count: 10, sum: 8), .init(count: 10, sum: 12), .init(count: 5, sum: 5)]
        let estimate = Estimate.total(of: 100, groups: groups)
        // 25 for 25 things; errors -2, 2, 0: 3 / 2 × 8 / 25² × 3 / 4 = 0.0144; t(2) × √0.0144 × 100 = 2.920 × 12
        #expect(estimate.value == 100 && abs(estimate.margin - 35.04) < 0.01 && estimate.sampled == 25)
        let pictures = estimate.times([.init(count: 2, sum: 20), .init(count: 1, sum: 10)])
        // Each has ten bytes in all samples, so only their number is uncertain.
        #expect(pictures.value == 1_000 && abs(pictures.margin - 350.4) < 0.1)
    }

    @Test func anEstimateFromAllGroupsIsExactAndFromOneIsWide() {
        let all = [SampledGroup(count: 3, sum: 6), .init(count: 1, sum: 4)]
        #expect(Estimate.total(of: 4, groups: all) == Estimate(10, sampled: 4))
        #expect(Estimate.total(of: 0, groups: all) == .zero && Estimate.total(of: 4, groups: []) == .zero)
        let one = Estimate.total(of: 16, groups: [.init(count: 4, sum: 8)])
        #expect(one.value == 32 && abs(one.margin - 32 * 0.75.squareRoot()) < 0.001)
    }

    /// Pages with similar artworks, sampled a thousand times: the margin should contain the truth in 90 % of them.
    @Test func theMarginOfAnEstimateContainsTheTruthNineTimesInTen() {
        var random = SplitMix(seed: 11)
        let pages = (0..<40).map { _ in
            let level = Double.random(in: 0.3...1.5, using: &random)
            return SampledGroup(
                count: 100,
                sum: (0..<100).reduce(0) { sum, _ in
                    sum + (Double.random(in: 0...2, using: &random) < level ? 1 : 0)
                })
        }
        let truth = pages.reduce(0) { $0 + $1.sum }
        var within = 0
        for _ in 0..<1_000 {
            let estimate = Estimate.total(
                of: 4_000, groups: Array(pages.shuffled(using: &random).prefix(5)))
            if abs(estimate.value - truth) <= estimate.margin { within += 1 }
        }
        #expect((870...940).contains(within), "\(within)")
    }
}

@Suite("Forecasts of a sync's duration") struct ForecastTests {
    private static func past(_ requests: Double, _ bytes: Double, _ seconds: Double) -> Forecast.Past {
        Forecast.Past(work: .init(requests: requests, bytes: bytes), seconds: seconds)
    }

    @Test func aForecastWithoutEarlierRunsUsesRoundTripTimes() {
        let work = Forecast.Work(requests: 1_600, bytes: 50_000_000)
        let forecast = Forecast.of(work, past: [], roundTrips: [0.1, 0.1, 0.3], jobs: 16)
        // 3 × 0.1 + 1,600 × 0.1 / 16 + 50 MB at 5 MB/s
        #expect(abs(forecast.median - 20.3) < 0.01)
        #expect(forecast.p90 == forecast.median * 2)
        let slow = Forecast.of(work, past: [], roundTrips: [0.1], jobs: 16, files: (100, 0.05))
        #expect(abs(slow.median - 20.3 - 100 * (0.05 - 0.1 / 16)) < 0.01)
    }

    @Test func aForecastUsesTheSpeedOfEarlierRuns() {
        let runs = [
            Self.past(1_000, 0, 10), Self.past(1_000, 0, 11), Self.past(1_000, 0, 9), Self.past(900, 0, 9),
        ]
        let forecast = Forecast.of(
            .init(requests: 2_000, bytes: 0), past: runs, roundTrips: [0.001], jobs: 16)
        #expect(abs(forecast.median - 20) < 0.2)
        #expect(forecast.p90 > forecast.median && forecast.p90 < forecast.median * 1.3)
    }

    @Test func oneUnusualRunDoesNotChangeAForecast() {
        let runs = [
            Self.past(1_000, 0, 10), Self.past(1_000, 0, 10), Self.past(1_000, 0, 10),
            Self.past(1_000, 0, 900),
        ]
        let forecast = Forecast.of(
            .init(requests: 1_000, bytes: 0), past: runs, roundTrips: [0], jobs: 16)
        #expect(abs(forecast.median - 10) < 0.01 && forecast.p90 < 12)
    }

    @Test func aForecastIgnoresVeryShortRuns() {
        let forecast = Forecast.of(
            .init(requests: 1_000, bytes: 0), past: [Self.past(11, 1_500, 0.5)], roundTrips: [0.016], jobs: 16
        )
        #expect(forecast.median < 1.1)
    }

    @Test(arguments: [
        // Requests and files of an earlier run, then of a new one; whether the earlier run is used.
        (100.0, 0.0, 1_000.0, 0.0, true), (99, 0, 1_000, 0, false), (1_000, 500, 1_000, 500, true),
        (1_000, 0, 1_000, 500, false), (1_000, 500, 1_000, 0, false), (1_000, 60, 1_000, 900, false),
        (1_000, 10, 1_000, 40, true),
    ])
    func aForecastUsesOnlyRunsWithASimilarShareOfFiles(
        requests: Double, files: Double, ahead: Double, aheadFiles: Double, isTelling: Bool
    ) {
        let past = Forecast.Work(requests: requests, bytes: 0, files: files)
        #expect(past.tells(of: .init(requests: ahead, bytes: 0, files: aheadFiles)) == isTelling)
    }

    @Test func aForecastReadsEarlierRunsFromTheirSummaries() throws {
        let text = #"{"requests":{"sent":12},"bytes":{"received":34},"seconds":5.5,"more":[]}"#
        let past = try Forecast.Past(StepFixture.json(text))
        #expect(past == Self.past(12, 34, 5.5))
        #expect(try Forecast.Past(StepFixture.json(#"{"seconds":1}"#)) == nil)
        let files =
            #"{"requests":{"sent":12},"bytes":{"received":34,"media":20},"seconds":5,"objects":{"image":{"created":3}}}"#
        #expect(try Forecast.Past(StepFixture.json(files))?.work.files == 3)
        #expect(
            Forecast.median([3, 1, 2]) == 2 && Forecast.median([1, 2]) == 1.5 && Forecast.median([]) == nil)
    }
}

@Suite("Predicted changes of objects") struct PredictedChangeTests {
    @Test(
        arguments: [
            (ListedMember.Stored.nothing, "e", PredictedChange.created), (.nothing, nil, .created),
            (.row(etag: "e", refetch: false), "e", .unchanged),
            (.row(etag: "e", refetch: true), "e", .unchanged),
            (.row(etag: "e", refetch: false), "f", .updated),
            (.row(etag: nil, refetch: false), "f", .undecided),
            (.row(etag: "e", refetch: false), nil, .undecided),
        ] as [(ListedMember.Stored, String?, PredictedChange)])
    func aPredictedChangeFollowsFromTheStoredAndTheListedETag(
        stored: ListedMember.Stored, listed: String?, expected: PredictedChange
    ) {
        #expect(PredictedChange(stored: stored, listed: listed) == expected)
        if case .row = stored {
            #expect(PredictedChange(stored: stored, listed: listed, trustsETags: false) == .undecided)
            // A linked object that becomes listed is an update, even if its data is the same.
            #expect(PredictedChange(stored: stored, listed: listed, joins: true) == .updated)
        }
    }
}
