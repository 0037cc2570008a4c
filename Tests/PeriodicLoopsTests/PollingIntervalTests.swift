import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// The times at which polled items run.
@Suite struct PollingIntervalTests {
    private let fixture = PollingFixture()
    private var center: PollingCenter { fixture.center }

    @Test func anItemRunsAtItsInterval() {
        fixture.add("a")
        #expect(fixture.passing(.seconds(100)).isEmpty)
        fixture.enable("a")
        #expect(fixture.times(in: .seconds(35)) == [110, 120, 130])
        center.disable("a")
        #expect(fixture.passing(.seconds(100)).isEmpty)
    }

    @Test func anItemCanStartAtOnce() {
        fixture.add("a") { $0.startsAtOnce = true }
        center.enable("a")
        #expect(fixture.times(in: .seconds(15)) == [0, 10])
        center.disable("a")
        fixture.time.settle()
        center.enable("a")
        fixture.time.settle()
        #expect(fixture.log.take() == ["a at 15.0"])
        #expect(fixture.times(in: .seconds(20)) == [25, 35])
    }

    @Test(arguments: [(0.0, 3), (0.3, 3), (1, 3), (1.5, 2)] as [(Double, Int)])
    func intervalsBelowOneSecondAreTreatedAsOneSecond(interval: Double, runs: Int) {
        fixture.add("a", every: .seconds(interval))
        fixture.enable("a")
        #expect(fixture.times(in: .seconds(3)).count == runs)
        #expect(fixture.status()?.interval == .seconds(max(1, interval)))
    }

    @Test(
        arguments: [
            // The ticks at 20, 30, 50 and 60 are skipped.
            (25.0, [10.0, 40, 70]),
            // A handler that takes exactly its interval skips no tick.
            (9.9, [10, 20, 30, 40]), (12, [10, 30, 50]),
        ] as [(Double, [Double])])
    func ticksThatPassDuringARunAreSkipped(takes: Double, runs: [Double]) {
        fixture.add("a") { _ in
        } work: { [time = fixture.time] in
            try await time.sleep(.seconds(takes))
        }
        fixture.enable("a")
        #expect(Array(fixture.times(in: .seconds(100)).prefix(runs.count)) == runs)
        #expect(fixture.selfOverlaps == 0)
    }

    @Test func eachItemRunsOnceAfterTheMachineSlept() {
        fixture.add("a")
        fixture.enable("a")
        _ = fixture.log.take()
        fixture.time.leap(by: .seconds(1_003))
        #expect(fixture.log.take() == ["a at 1003.0"])
        #expect(fixture.times(in: .seconds(17)) == [1_010, 1_020])
    }

    @Test func failedItemsBackOffUntilASuccess() {
        let failures = Mutex(5)
        fixture.add("a") { item in
            item.backOff = BackOff(first: .seconds(4))
        } work: {
            let isFailing = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            if isFailing { throw ScriptedError.network }
        }
        fixture.enable("a")
        // The waits are 4, 8, 16, 32 and 64 s. A wait that ends before the next tick has no effect.
        #expect(fixture.times(in: .seconds(160)) == [10, 20, 30, 46, 78, 142, 150, 160])
        #expect(fixture.status()?.failures == 0)
        #expect(fixture.status()?.lastError == nil)
    }

    @Test func triggersIgnoreTheBackOffAndDoNotMoveTicks() {
        fixture.add("a") {
            $0.backOff = BackOff(first: .seconds(1_000))
        } work: {
            throw ScriptedError.network
        }
        fixture.enable("a")
        #expect(fixture.times(in: .seconds(500)) == [10])
        #expect(center.trigger("a"))
        #expect(fixture.times(in: .zero) == [500])
        #expect(fixture.status()?.runs == 2)
        #expect(fixture.status()?.failures == 2)

        fixture.add("b")
        fixture.enable("b")
        fixture.time.advance(by: .seconds(4))
        center.trigger("b")
        #expect(fixture.times("b", in: .seconds(20)) == [504, 510, 520])
    }

    @Test func aSuccessfulTriggerEndsTheBackOff() {
        let isFirst = Atomic(true)
        fixture.add("a") {
            $0.backOff = BackOff(first: .seconds(1_000))
        } work: {
            if isFirst.exchange(false, ordering: .relaxed) { throw ScriptedError.network }
        }
        fixture.enable("a")
        fixture.time.advance(by: .seconds(104))
        center.trigger("a")
        #expect(fixture.times(in: .seconds(20)) == [104, 110, 120])
    }

    @Test func triggersDuringARunLeadToOneFurtherRun() {
        let gate = Gate()
        fixture.add("a") { _ in
        } work: {
            try await gate.pass()
        }
        fixture.enable("a")
        fixture.time.advance(by: .seconds(10))
        for _ in 0..<7 { #expect(center.trigger("a")) }
        fixture.time.settle()
        _ = fixture.log.take()
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take() == ["a at 10.0"])
    }

    @Test func itemsDueAtTheSameTimeBeginInTheOrderTheyWereAdded() {
        for id in ["c", "a", "b"] { fixture.add(id) }
        fixture.enable("b", "c", "a")
        #expect(fixture.passing(.seconds(10)) == ["c at 10.0", "a at 10.0", "b at 10.0"])
    }

    @Test func theStatusOfAnItemFollowsItsRuns() {
        fixture.add("a") { _ in
        } work: { [time = fixture.time] in
            try await time.sleep(.seconds(3))
            if time.elapsed >= .seconds(20) { throw ScriptedError.garbage }
        }
        let added = fixture.status()
        #expect(added?.state == .disabled)
        #expect(added?.lastRun == nil && added?.lastDuration == nil && added?.nextRun == nil)
        fixture.enable("a")
        #expect(fixture.status()?.nextRun == .seconds(10))
        fixture.time.advance(by: .seconds(12))
        #expect(fixture.status()?.state == .running)
        fixture.time.advance(by: .seconds(3))
        #expect(
            fixture.status()
                == PollingStatus(
                    id: "a", state: .waiting, isEnabled: true, interval: .seconds(10), lastRun: .seconds(10),
                    lastDuration: .seconds(3), runs: 1, failures: 0, lastError: nil, nextRun: .seconds(20)))
        fixture.time.advance(by: .seconds(10))
        #expect(fixture.status()?.failures == 1)
        #expect(fixture.status()?.lastError == "garbage")
        #expect(fixture.status()?.runs == 2)
        #expect(center.status(of: "unknown") == nil)
        fixture.add("b")
        #expect(center.statuses.map(\.id) == ["a", "b"])
    }

    @Test func aHandlerThatThrowsCancellationErrorWithoutBeingCancelledFails() {
        fixture.add("a") { _ in
        } work: {
            throw CancellationError()
        }
        fixture.enable("a")
        fixture.time.advance(by: .seconds(10))
        #expect(fixture.status()?.failures == 1)
    }

    @Test func aCancelledRunDoesNotCountAsAFailure() {
        fixture.add("a") { _ in
        } work: { [time = fixture.time] in
            try await time.sleep(.seconds(100))
        }
        fixture.enable("a")
        fixture.time.advance(by: .seconds(10))
        center.disable("a")
        fixture.time.settle()
        #expect(fixture.status()?.state == .disabled)
        #expect(fixture.status()?.failures == 0)
        #expect(fixture.status()?.runs == 0)
    }

    /// An item as an app declares it: a type with an interval and a handler.
    private struct Weather: Pollable {
        let interval = Duration.seconds(10)
        let log: EventLog
        func poll() async throws { log.record("weather") }
    }

    @Test func anItemsDefaultIDIsItsTypeName() {
        let item = Weather(log: fixture.log)
        #expect(item.uid == "Weather")
        #expect(center.add(item))
        #expect(!center.add(item))
        // The item is disabled when it is added.
        #expect(fixture.passing(.seconds(30)).isEmpty)
        fixture.enable("Weather")
        #expect(fixture.passing(.seconds(30)) == ["weather", "weather", "weather"])
        #expect(center.disable("Weather"))
        #expect(fixture.passing(.seconds(30)).isEmpty)
    }

    @Test func anItemDisabledWithoutCancellingFinishesItsRun() {
        let gate = Gate()
        fixture.add(
            "a",
            work: { [log = fixture.log] in
                try await gate.pass()
                log.record("a ended")
            })
        fixture.enable("a")
        #expect(fixture.passing(.seconds(10)) == ["a at 10.0"])
        #expect(center.disable("a", cancelling: false))
        #expect(fixture.passing(.seconds(30)).isEmpty)
        gate.open()
        #expect(fixture.passing(.seconds(30)) == ["a ended"])
        #expect(fixture.status()?.runs == 1)
    }
}
