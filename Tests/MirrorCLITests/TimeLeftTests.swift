import Foundation
import Testing

@testable import MirrorCLI
@testable import MirrorSync

@Suite("The remaining time of a run") struct TimeLeftTests {
    /// A simulated run, whose remaining time is estimated eight times a second.
    private struct SimulatedRun {
        /// The number of items.
        var items = 5_000.0
        var forecast: Forecast?
        /// The items per second, by the share of done items and the elapsed seconds.
        let pace: (_ share: Double, _ elapsed: Double) -> Double

        /// Runs all items.
        ///
        /// - Returns: For each estimate: the share of done items, the time, the estimate, and the true remaining time.
        func play() -> [(share: Double, at: Double, shown: TimeLeft.Range?, truth: Double)] {
            var left = TimeLeft(), done = 0.0, elapsed = 0.0
            var estimates: [(share: Double, at: Double, shown: TimeLeft.Range?)] = []
            while done < items, elapsed < 100_000 {
                let shown = left.update(
                    [
                        .init(done: done.rounded(.down), left: items - done.rounded(.down)),
                        .init(done: 0, left: 0),
                    ],
                    elapsed: elapsed, forecast: forecast)
                estimates.append((done / items, elapsed, shown))
                done += pace(done / items, elapsed) / 8
                elapsed += 0.125
            }
            return estimates.map { ($0.share, $0.at, $0.shown, elapsed - $0.at) }
        }
    }

    private static let paces: [(name: String, pace: @Sendable (Double, Double) -> Double)] = [
        ("constant", { _, _ in 100 }), ("slow", { _, _ in 9 }), ("fast", { _, _ in 400 }),
        ("slowing by a fifth", { share, _ in 110 - 22 * share }),
        ("quickening by a fifth", { share, _ in 90 + 22 * share }),
        ("in waves", { _, at in 100 + 20 * sin(at / 4) }),
        ("in fits", { _, at in Int(at * 8) % 5 == 0 ? 300 : 50 }),
    ]

    @Test(arguments: paces.indices, [nil, 0.5, 1, 2] as [Double?])
    func theRemainingTimeIsRightWithinAQuarterAfterATenthOfTheRun(index: Int, factor: Double?) throws {
        let pace = Self.paces[index].pace
        let took = try #require(SimulatedRun(pace: pace).play().first).truth
        let forecast = factor.map { Forecast(median: took * $0, p90: took * $0 * 1.5) }
        let estimate = try #require(
            SimulatedRun(forecast: forecast, pace: pace).play().first { $0.share >= 0.1 })
        let shown = try #require(estimate.shown)
        #expect(abs(shown.seconds - estimate.truth) <= 0.25 * estimate.truth, "\(Self.paces[index].name)")
        #expect(shown.low <= shown.seconds && shown.seconds <= shown.high)
    }

    @Test(arguments: paces.indices) func theRemainingTimeNeverJumpsAndIsNeverNegative(index: Int) {
        let estimates = SimulatedRun(pace: Self.paces[index].pace).play()
        var last: (seconds: Double, at: Double)?
        for estimate in estimates {
            guard let shown = estimate.shown else { continue }
            #expect(shown.seconds >= 0 && shown.low >= 0)
            if let last, shown.seconds != last.seconds {
                #expect(estimate.at - last.at >= 1, "changes at most once a second")
                #expect(abs(shown.seconds - last.seconds) <= 0.25 * last.seconds + 2.5)
            }
            if last?.seconds != shown.seconds { last = (shown.seconds, estimate.at) }
        }
        #expect(last != nil)
    }

    @Test(arguments: paces.indices) func theRangeContainsTheTrueRemainingTimeMostOfTheTime(index: Int) {
        let estimates = SimulatedRun(pace: Self.paces[index].pace).play().filter {
            $0.share > 0.1 && $0.share < 0.9
        }
        let right = estimates.filter { estimate in
            estimate.shown.map { $0.low - 1 <= estimate.truth && estimate.truth <= $0.high + 1 } ?? false
        }
        #expect(Double(right.count) >= 0.8 * Double(estimates.count), "\(Self.paces[index].name)")
    }

    @Test func noRemainingTimeIsShownBeforeItCanBeEstimated() {
        var left = TimeLeft()
        #expect(left.update([.init(done: 0, left: nil)], elapsed: 0, forecast: nil) == nil)
        #expect(left.update([.init(done: 5, left: nil)], elapsed: 2, forecast: nil) == nil)
        #expect(left.update([.init(done: 9, left: nil)], elapsed: 9, forecast: nil) == nil)
        #expect(left.update([.init(done: 50, left: 50)], elapsed: 10, forecast: nil) != nil)
    }

    @Test func theFirstRemainingTimeIsTheForecastFromEarlierRuns() {
        var left = TimeLeft()
        let forecast = Forecast(median: 60, p90: 90)
        let first = left.update([.init(done: 0, left: 900)], elapsed: 0.5, forecast: forecast)
        #expect(first == TimeLeft.Range(seconds: 59.5, low: 59.5 / 1.5, high: 59.5 * 1.5))
    }

    @Test func theSlowerLaneDeterminesTheRemainingTime() throws {
        var left = TimeLeft()
        var shown: TimeLeft.Range?
        for second in 0...20 {
            let at = Double(second)
            shown = left.update(
                [.init(done: 100 * at, left: 5_000 - 100 * at), .init(done: 10 * at, left: 2_000 - 10 * at)],
                elapsed: at, forecast: nil)
        }
        #expect(abs(try #require(shown).seconds - 180) < 5)
    }

    @Test func noRemainingTimeIsShownAtTheEnd() {
        var left = TimeLeft()
        for second in 0...10 {
            let at = Double(second)
            _ = left.update([.init(done: at * 10, left: 100 - at * 10)], elapsed: at, forecast: nil)
        }
        let forecast = Forecast(median: 60, p90: 90)
        #expect(left.update([.init(done: 100, left: 0)], elapsed: 11, forecast: forecast) == nil)
    }
}
