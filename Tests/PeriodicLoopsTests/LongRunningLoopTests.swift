import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Weeks of virtual time, in which no tasks, timers or objects accumulate.
@Suite struct LongRunningLoopTests {
    @Test func tenThousandSchedulerTicksLeaveNothingBehind() {
        let (fixture, liveObjects) = (SchedulerFixture(), LiveObjectCounter())
        let polls = Mutex(0)
        for number in 0..<3 { fixture.enable("special \(number)") }
        // Alternates between pages, pages with more, network failures, bad responses and refreshes.
        fixture.core.answerAlways {
            let number = polls.withLock { polls in
                polls += 1
                return polls
            }
            if number % 97 == 0 { throw ScriptedError.network }
            if number % 89 == 0 { throw ScriptedError.garbage }
            let (countedObject, mask) = (CountedObject(liveObjects), number % 83 == 0 ? 3 : 0)
            return .init(
                eventID: "\(number)", refresh: RefreshMask(rawValue: mask), hasMore: number % 5 == 0,
                countedObject: countedObject)
        }
        fixture.start()
        for _ in 0..<100 {
            _ = fixture.passing(.seconds(3_000))
            // Only the alarm for the next tick sleeps, and no page or operation is left.
            #expect(fixture.time.sleepers == 1)
            #expect(liveObjects.count == 0)
            #expect(fixture.status()?.activity == .waiting)
        }
        #expect(fixture.scheduler.status.cycles == 10_001)
        #expect(polls.withLock { $0 } > 10_000)
        #expect(fixture.status("special 2")?.successes == 10_001)
        #expect(fixture.status()?.health.state != .quarantined)
    }

    @Test func tenThousandRunsOfAPolledItemLeaveNothingBehind() {
        let (fixture, liveObjects) = (PollingFixture(), LiveObjectCounter())
        let runs = Mutex(0)
        fixture.add("a") {
            $0.timeLimit = .seconds(5)
            $0.lane = .serial
            $0.backOff = .none
        } work: { [time = fixture.time] in
            let countedObject = CountedObject(liveObjects)
            defer { withExtendedLifetime(countedObject) {} }
            let number = runs.withLock { runs in
                runs += 1
                return runs
            }
            if number % 7 == 0 { throw ScriptedError.network }
            try await time.sleep(.seconds(number % 11 == 0 ? 100 : 1))
        }
        fixture.enable("a")
        for _ in 0..<100 {
            fixture.time.advance(by: .seconds(1_000))
            _ = fixture.log.take()
            // Runs that exceeded their time limit have ended. Only the last run and the alarm can be asleep.
            #expect(fixture.time.sleepers <= 2)
            #expect(liveObjects.count <= 1)
        }
        #expect(runs.withLock { $0 } == 10_000)
        #expect(fixture.status()?.runs ?? 0 >= 9_999)
    }

    @Test func addingAndRemovingLoopsAndItemsLeavesNothingBehind() {
        let (fixture, center) = (SchedulerFixture(), PollingFixture())
        fixture.start()
        for round in 0..<200 {
            let id = "special \(round)"
            fixture.scheduler.enableLoop(id)
            center.add(id)
            center.center.enable(id)
            fixture.time.advance(by: .seconds(30))
            center.time.advance(by: .seconds(10))
            fixture.scheduler.disableLoop(id)
            center.center.remove(id)
        }
        #expect(fixture.scheduler.enabledLoops == ["core"])
        #expect(center.center.statuses.isEmpty)
        #expect(fixture.time.sleepers == 1)
        center.time.advance(by: .seconds(100))
        #expect(center.time.sleepers == 0)
    }

    @Test func aThousandSpecialLoopsArePolledInEachCycle() {
        let fixture = SchedulerFixture()
        for number in 0..<1_000 { fixture.enable("\(number)") }
        fixture.start()
        let polls = fixture.log.take().filter { $0.contains("poll") }
        #expect(polls == ["core poll 0"] + (0..<1_000).map { "\($0) poll 0" })
        #expect(fixture.passing(.seconds(30)).count == 2_002)
        #expect(fixture.scheduler.status.skippedTicks == 0)
    }
}
