import Testing

@testable import PeriodicLoops

@Suite struct BackOffTests {
    @Test(
        arguments: [
            (-1, 0.0), (0, 0), (1, 1), (2, 2), (3, 4), (6, 32), (10, 512), (11, 1_024), (12, 1_800),
            (13, 1_800),
            (1_000_000, 1_800), (Int.max, 1_800),
        ] as [(Int, Double)])
    func backOffWaitsGrowToTheLimit(failures: Int, seconds: Double) {
        let backOff = BackOff()
        #expect(backOff.ceiling(afterFailures: failures) == .seconds(seconds))
        #expect(backOff.delay(afterFailures: failures, random: 1) == .seconds(seconds))
        #expect(backOff.delay(afterFailures: failures, random: 0) == .seconds(seconds / 2))
        #expect(backOff.delay(afterFailures: failures, random: 0.5) == .seconds(seconds * 0.75))
    }

    @Test func randomNumbersOutOfRangeAreClampedInABackOff() {
        let backOff = BackOff()
        #expect(backOff.delay(afterFailures: 3, random: 7) == .seconds(4))
        #expect(backOff.delay(afterFailures: 3, random: -7) == .seconds(2))
        #expect(backOff.delay(afterFailures: 3, random: .nan) == .seconds(2))
        #expect(backOff.delay(afterFailures: 3, random: .infinity) == .seconds(4))
    }

    @Test func extremeBackOffValuesNeitherTrapNorShrinkTheWait() {
        #expect(BackOff.none.delay(afterFailures: 5, random: 1) == .zero)
        #expect(BackOff(first: .seconds(-5)).delay(afterFailures: 5, random: 1) == .zero)
        #expect(BackOff(limit: .seconds(-5)).delay(afterFailures: 5, random: 1) == .zero)
        #expect(BackOff(factor: 0.5).ceiling(afterFailures: 5) == .seconds(1))
        #expect(BackOff(factor: .nan).ceiling(afterFailures: 5) == .seconds(1))
        #expect(BackOff(factor: .infinity).ceiling(afterFailures: 2) == .seconds(1_800))
        #expect(BackOff(first: .seconds(3_600)).ceiling(afterFailures: 1) == .seconds(1_800))
        #expect(BackOff(factor: 1.5, limit: .seconds(3)).ceiling(afterFailures: 3) == .seconds(2.25))
    }
}

@Suite struct TickGridTests {
    @Test(
        arguments: [
            (-5.0, 100.0), (100, 110), (100.5, 110), (109.999, 110), (110, 120), (1_000_005, 1_000_010),
        ] as [(Double, Double)])
    func theNextTickIsAlwaysAfterNow(now: Double, next: Double) {
        let grid = TickGrid(anchor: .seconds(100), interval: .seconds(10))
        #expect(grid.next(after: .seconds(now)) == .seconds(next))
    }

    @Test func afterTheFirstTickTheMostRecentTickIsLessThanOneIntervalAgo() {
        let grid = TickGrid(anchor: .zero, interval: .milliseconds(1_001))
        for exponent in 0..<10 {
            let now = Duration.seconds((0..<exponent).reduce(1) { power, _ in power * 10 })
            let last = grid.last(notAfter: now)
            #expect(last <= now && now < last + grid.interval)
        }
    }

    @Test(arguments: [(0.0, 1.0), (-3, 1), (0.2, 1), (1, 1), (7, 7)] as [(Double, Double)])
    func intervalsBelowOneSecondAreTreatedAsOneSecond(asked: Double, got: Double) {
        #expect(TickGrid(anchor: .zero, interval: .seconds(asked)).interval == .seconds(got))
    }

    @Test func extremelyLongIntervalsDoNotTrap() {
        let grid = TickGrid(anchor: .seconds(5), interval: .seconds(Int64.max))
        #expect(grid.next(after: .seconds(6)) == .seconds(5) + TickGrid.longest)
    }
}
