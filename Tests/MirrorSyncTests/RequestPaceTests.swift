import Foundation
import Testing

@testable import MirrorSync

@Suite("The time that requests take at the rate of a source") struct RequestPaceTests {
    @Test(
        arguments: [
            // spacing, a day, requests -> seconds
            (1.0, nil, 498_000.0, 498_000.0), (1, 80_000, 498_000, 537_840), (0.05, 1_000, 500, 43_200),
            (0, nil, 1e6, 0), (0, 100, 50, 43_200), (2, nil, 0, 0),
        ] as [(Double, Int?, Double, Double)])
    func theLeastTimeFollowsFromTheRateAndTheBudget(
        spacing: Double, perDay: Int?, requests: Double, seconds: Double
    ) {
        #expect(RequestPace(spacing: spacing, perDay: perDay).seconds(for: requests) == seconds)
    }

    @Test func filesOfAnotherHostAreRequestedAtTheSameTime() {
        #expect(RequestPace(spacing: 1).seconds(for: 100, files: 300) == 400)
        #expect(RequestPace(spacing: 1, hasOtherHosts: true).seconds(for: 100, files: 300) == 300)
    }

    /// 2026-11-27 at 18:00 UTC: 21,600 seconds before midnight.
    private static let evening = Date(timeIntervalSince1970: 1_795_802_400)

    @Test(
        arguments: [
            // spacing, a day, requests, sent today -> seconds from now
            (1.0, nil, 1_000, 0, 1_000.0), (1, 80_000, 20_000, 0, 20_000),
            (1, 80_000, 20_000, 70_000, 31_600),
            (1, 80_000, 80_000, 80_000, 101_600), (1, 80_000, 80_001, 80_000, 108_001),
            (1, nil, 100_000, 0, 100_000), (0, 100, 250, 60, 194_400), (0, 100, 40, 60, 0),
            (0, 100, 0, 100, 0),
        ] as [(Double, Int?, Int, Int, Double)])
    func theEndAccountsForTheRestOfTheDay(
        spacing: Double, perDay: Int?, requests: Int, sent: Int, seconds: Double
    ) throws {
        let pace = RequestPace(spacing: spacing, perDay: perDay)
        let end = try #require(pace.end(of: requests, sent: sent, now: Self.evening))
        #expect(end.timeIntervalSince(Self.evening) == seconds)
    }

    @Test func withoutALimitTheEndIsUnknown() {
        #expect(RequestPace(spacing: 0).end(of: 10, sent: 0, now: Self.evening) == nil)
        #expect(!RequestPace(spacing: 0).isLimited)
    }

    @Test(
        arguments: [
            // requests, seconds, spacing, a day, chosen -> interval
            (0, 0.0, 1.0, nil, 30, 30), (3, 1, 1, nil, 30, 30), (30, 2, 1, nil, 30, 300),
            (30, 60, 1, nil, 30, 600),
            (1_300, 1_300, 1, nil, 30, 13_000), (30, 2, 0.05, nil, 30, 30), (30, 2, 0, nil, 30, 300),
            (100, 2, 0.05, 1_000, 30, 86_400), (10, 2, 0.05, 1_000, 30, 8_640),
            (498_000, 1e6, 1, 80_000, 30, 86_400), (1, 0, 1, nil, 100_000, 100_000),
        ] as [(Int, Double, Double, Int?, Int, Int)])
    func aWatchUsesAtMostATenthOfWhatASourceAllows(
        requests: Int, seconds: Double, spacing: Double, perDay: Int?, least: Int, interval: Int
    ) {
        let pace = RequestPace(spacing: spacing, perDay: perDay)
        #expect(
            SourceInterval.after(
                requests: requests, seconds: seconds, pace: pace, least: .seconds(least))
                == .seconds(interval))
    }
}
