import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// The times and the order in which loops are polled.
@Suite struct LoopOrderTests {
    private let fixture = SchedulerFixture()
    private var scheduler: EventsPeriodicScheduler { fixture.scheduler }

    @Test func noLoopIsPolledBeforeTheStart() {
        fixture.enable("a")
        #expect(!scheduler.triggerCoreLoop())
        #expect(!scheduler.triggerLoop("a"))
        scheduler.triggerAll()
        #expect(fixture.passing(.seconds(3_600)).isEmpty)
        #expect(fixture.time.sleepers == 0)
        #expect(scheduler.status.phase == .notStarted)
        #expect(scheduler.status.nextTick == nil)
    }

    @Test func startingASchedulerPollsAtOnceAndThenAtEveryInterval() {
        fixture.start()
        #expect(fixture.log.take() == ["core poll 0", "core apply 0"])
        #expect(fixture.passing(.seconds(29)).isEmpty)
        #expect(fixture.passing(.seconds(1)) == ["core poll 0", "core apply 0"])
        #expect(fixture.passing(.seconds(60)).count == 4)
        #expect(scheduler.status.cycles == 4)
        #expect(scheduler.status.nextTick == .seconds(120))
    }

    /// A clock under a test's control also decides when waits end. A wait must not end early because it began late on a
    /// busy machine.
    @Test func ticksFollowTheClocksWaitsNotItsReadings() {
        let readings = VirtualClock(), gate = Gate()
        let fixture = SchedulerFixture { configuration in
            configuration.clock = LoopClock(now: { readings.elapsed }) { _ in try await gate.pass() }
        }
        fixture.scheduler.start()
        readings.leap(by: .seconds(300))
        fixture.time.settle()
        #expect(fixture.log.take() == ["core poll 0", "core apply 0"])
        #expect(fixture.scheduler.status.cycles == 1)
    }

    @Test func schedulerIntervalsBelowOneSecondAreTreatedAsOneSecond() {
        let fixture = SchedulerFixture(interval: .zero)
        fixture.start()
        #expect(fixture.passing(.seconds(3)).count == 6)
    }

    @Test func aSchedulerPollsOnceAfterTheMachineSlept() {
        fixture.start()
        _ = fixture.log.take()
        fixture.time.leap(by: .seconds(3_610))
        #expect(fixture.log.take() == ["core poll 0", "core apply 0"])
        #expect(scheduler.status.nextTick == .seconds(3_630))
    }

    @Test func startingASchedulerTwiceHasNoFurtherEffect() {
        fixture.start()
        #expect(!scheduler.start())
        fixture.time.settle()
        #expect(fixture.log.take() == ["core poll 0", "core apply 0"])
        #expect(fixture.passing(.seconds(30)) == ["core poll 0", "core apply 0"])
        scheduler.suspend()
        #expect(!scheduler.start())
        #expect(fixture.passing(.seconds(60)).isEmpty)
    }

    @Test func theCoreLoopIsPolledFirstThenSpecialLoopsInTheOrderOfEnabling() {
        fixture.enable("c", "a", "b")
        fixture.start()
        #expect(
            fixture.log.take().filter { $0.contains("poll") } == [
                "core poll 0", "c poll 0", "a poll 0", "b poll 0",
            ])
        #expect(scheduler.enabledLoops == ["core", "c", "a", "b"])
    }

    @Test func aSpecialLoopEnabledAgainIsPolledLast() {
        fixture.enable("a", "b")
        #expect(scheduler.disableLoop("a"))
        #expect(scheduler.enableLoop("a"))
        #expect(scheduler.disableLoop("core"))
        #expect(scheduler.enabledLoops == ["b", "a"])
        #expect(scheduler.enableLoop("core"))
        #expect(scheduler.enabledLoops == ["core", "b", "a"])
    }

    @Test func enablingAnEnabledLoopKeepsItsPlace() {
        fixture.enable("a", "b")
        #expect(!scheduler.enableLoop("a"))
        #expect(!scheduler.enableLoop("core"))
        #expect(scheduler.enabledLoops == ["core", "a", "b"])
        #expect(fixture.created == ["a", "b"])
    }

    @Test func anIDWithoutALoopIsNotEnabled() {
        #expect(!scheduler.enableLoop("nothing"))
        #expect(!scheduler.disableLoop("nothing"))
        #expect(!scheduler.disableLoop("unknown"))
        fixture.start()
        #expect(!scheduler.triggerLoop("nothing"))
        #expect(scheduler.enabledLoops == ["core"])
    }

    /// Creating a loop can take time, and can itself lead to calls of the scheduler.
    @Test func aLoopCanBeEnabledAndDisabledWhileItIsBeingCreated() {
        let answers = Mutex<[Bool]>([])
        let calls = Mutex<[@Sendable () -> Bool]>([])
        let scheduler = EventsPeriodicScheduler(core: ScriptedLoop("core", EventLog())) { id in
            let call = calls.withLock { $0.popLast() }
            if let answer = call?() { answers.withLock { $0.append(answer) } }
            return ScriptedLoop(id, EventLog())
        }
        calls.withLock { $0 = [{ [weak scheduler] in scheduler?.enableLoop("a") ?? true }] }
        #expect(scheduler.enableLoop("a"))
        #expect(answers.withLock { $0 } == [false])
        #expect(scheduler.enabledLoops == ["core", "a"])

        calls.withLock { $0 = [{ [weak scheduler] in scheduler?.disableLoop("b") ?? false }] }
        #expect(!scheduler.enableLoop("b"))
        #expect(answers.withLock { $0 } == [false, true])
        calls.withLock { calls in
            calls = [
                { [weak scheduler] in
                    scheduler?.reset()
                    return true
                }
            ]
        }
        #expect(!scheduler.enableLoop("c"))
        #expect(scheduler.enabledLoops == ["core"])
        #expect(scheduler.enableLoop("c"))
    }

    @Test func aLoopEnabledWhileTheSchedulerRunsIsPolledFromTheNextTick() {
        fixture.start()
        fixture.enable("a")
        fixture.time.settle()
        #expect(!fixture.log.take().contains("a poll 0"))
        #expect(fixture.passing(.seconds(30)).contains("a poll 0"))
    }

    @Test func twoTicksBeforeTheQueueIsEmptyMakeOneCycle() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        #expect(fixture.passing(.seconds(75)).isEmpty)
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take() == ["core apply 0", "a poll 0", "a apply 0"])
        #expect(scheduler.status.cycles == 1)
        #expect(scheduler.status.skippedTicks == 2)
        #expect(fixture.passing(.seconds(15)) == ["core poll 0", "core apply 0", "a poll 0", "a apply 0"])
    }

    @Test func aTickIsSkippedWhileTheLastLoopRuns() {
        let gate = Gate()
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        fixture.enable("a")
        #expect(fixture.passing(.seconds(30)).isEmpty)
        gate.open()
        #expect(fixture.passing(.seconds(29)) == ["core apply 0"])
    }

    @Test func theCursorIsReadForEachPoll() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        #expect(fixture.status("a")?.activity == .queued)
        fixture["a"].cursor = "17"
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take().contains("a poll 17"))
    }

    @Test func onlyOneLoopOperationRunsAtATime() {
        let gates = (0..<4).map { _ in Gate() }
        fixture.enable("a", "b", "c")
        for (id, gate) in zip(["core", "a", "b", "c"], gates) {
            let loop = id == "core" ? fixture.core : fixture[id]
            loop.answer({
                try await gate.pass()
                return .init(eventID: "1")
            })
        }
        fixture.start()
        for (number, gate) in gates.enumerated() {
            #expect(gates.map(\.waiting) == (0..<4).map { $0 == number ? 1 : 0 })
            gate.open()
            fixture.time.settle()
        }
    }
}

/// Pages that are followed by more pages.
@Suite struct MorePagesTests {
    private let fixture = SchedulerFixture()

    @Test func aLoopWithMorePagesIsQueuedBehindTheOthers() {
        fixture.enable("a", "b")
        fixture.core.answer(
            .init(eventID: "1", hasMore: true), .init(eventID: "2", hasMore: true), .init(eventID: "3"))
        fixture["a"].answer(.init(eventID: "7", hasMore: true), .init(eventID: "8"))
        fixture.start()
        #expect(
            fixture.log.take().filter { $0.contains("apply") } == [
                "core apply 1", "a apply 7", "b apply 0", "core apply 2", "a apply 8", "core apply 3",
            ])
        #expect(fixture.core.cursor == "3")
    }

    @Test func aLoopReadsAtMostFiftyPagesPerTurn() {
        fixture.core.answerAlways { [core = fixture.core] in
            .init(eventID: "\((core.cursor.flatMap { Int($0) } ?? 0) + 1)", hasMore: true)
        }
        fixture.enable("a")
        fixture.start()
        #expect(fixture.core.cursor == "50")
        #expect(fixture.log.take().filter { $0.hasPrefix("a") }.count == 2)
        fixture.time.advance(by: .seconds(30))
        #expect(fixture.core.cursor == "100")
    }

    @Test func theNumberOfPagesPerTurnIsConfigurable() {
        let fixture = SchedulerFixture { $0.pagesPerTurn = 2 }
        fixture.core.answer(
            .init(eventID: "1", hasMore: true), .init(eventID: "2", hasMore: true), .init(eventID: "3"))
        fixture.start()
        #expect(fixture.core.cursor == "2")
        let least = SchedulerFixture { $0.pagesPerTurn = 0 }
        least.core.answer(.init(eventID: "1", hasMore: true), .init(eventID: "2"))
        least.start()
        #expect(least.core.cursor == "1")
    }

    @Test func aLoopsTurnEndsIfTheCursorDoesNotMove() {
        fixture.core.answerAlways { .init(eventID: "0", hasMore: true) }
        fixture.start()
        #expect(fixture.log.take().filter { $0.contains("poll") }.count == 1)
        #expect(fixture.status()?.health.failures == 1)
        #expect(fixture.status()?.health.lastError == LoopError.cursorStuck.message)
    }

    /// Without the refresh, newer events would never be read.
    @Test func aStuckCursorIsEventuallyReplacedByARefresh() {
        fixture.core.answerAlways { [core = fixture.core] in
            core.cursor == "0" ? .init(eventID: "0", hasMore: true) : .init(eventID: "latest")
        }
        fixture.start()
        fixture.time.advance(by: .seconds(600))
        #expect(fixture.log.take().contains("core refresh 255"))
        #expect(fixture.core.cursor == "latest")
    }

    @Test func aRefreshCanHaveMorePages() {
        fixture.core.answer(
            .init(eventID: "5", refresh: [.init(rawValue: 1)], hasMore: true), .init(eventID: "6"))
        fixture.start()
        #expect(
            fixture.log.take() == ["core poll 0", "core refresh 1", "core poll 5", "core apply 6"])
    }

    @Test func aFailureEndsALoopsTurn() {
        fixture.core.answer(.init(eventID: "1", hasMore: true))
        fixture.core.answer(throwing: ScriptedError.network)
        fixture.start()
        #expect(fixture.core.cursor == "1")
        #expect(fixture.log.take().filter { $0.contains("poll") }.count == 2)
    }
}
