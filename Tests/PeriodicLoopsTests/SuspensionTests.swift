import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Suspending, resuming, resetting, triggering, settling.
@Suite struct SuspensionTests {
    private let fixture = SchedulerFixture()
    private var scheduler: EventsPeriodicScheduler { fixture.scheduler }

    @Test func suspendedNothingBeginsAndWhatWasQueuedIsDropped() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        #expect(scheduler.suspend())
        #expect(scheduler.status.phase == .suspended)
        gate.open()
        // What ran goes on to its end.
        #expect(fixture.passing(.seconds(20)) == ["core apply 0"])
        #expect(fixture.passing(.seconds(200)).isEmpty)
        #expect(fixture.status("a")?.activity == .waiting)
        #expect(scheduler.resume())
        fixture.time.settle()
        // The ticks that passed count as one, and all are asked as at any tick.
        #expect(
            fixture.journal.take() == ["core poll 0", "core apply 0", "a poll 0", "a apply 0"])
        #expect(scheduler.status.skippedTicks == 0)
    }

    @Test func whatWasDroppedIsAskedAtTheNextTickAndNotBefore() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        // Both are queued: one behind the operation that runs, the other once more after it.
        scheduler.triggerAll()
        scheduler.suspend()
        gate.open()
        fixture.time.settle()
        scheduler.resume()
        #expect(fixture.passing(.seconds(29)) == [])
        #expect(
            fixture.passing(.seconds(1)) == ["core poll 0", "core apply 0", "a poll 0", "a apply 0"])
    }

    @Test func aPageThatHasMoreGoesOnAfterTheSuspension() {
        let gate = Gate()
        fixture.core.answer(.init(eventID: "1", hasMore: true), .init(eventID: "2"))
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        scheduler.suspend()
        gate.open()
        #expect(fixture.passing(.seconds(5)) == ["core apply 1"])
        scheduler.resume()
        #expect(fixture.passing(.zero) == ["core poll 1", "core apply 2"])
    }

    @Test func ticksThatPassWhileSuspendedCountAsOne() {
        fixture.start()
        scheduler.suspend()
        #expect(fixture.passing(.seconds(100)).count == 0)
        scheduler.resume()
        #expect(fixture.passing(.zero) == ["core poll 0", "core apply 0"])
        #expect(fixture.passing(.seconds(19)).isEmpty)
        #expect(fixture.passing(.seconds(1)) == ["core poll 0", "core apply 0"])
    }

    @Test func aShortSuspensionMissesNothing() {
        fixture.start()
        scheduler.suspend()
        fixture.time.advance(by: .seconds(5))
        scheduler.resume()
        #expect(fixture.passing(.seconds(24)).isEmpty)
        #expect(fixture.passing(.seconds(1)) == ["core poll 0", "core apply 0"])
    }

    @Test func suspendingAndResumingOutOfTurnDoNothing() {
        #expect(!scheduler.suspend())
        #expect(!scheduler.resume())
        #expect(scheduler.status.phase == .notStarted)
        fixture.start()
        #expect(!scheduler.resume())
        #expect(scheduler.suspend())
        #expect(!scheduler.suspend())
        #expect(scheduler.resume())
        #expect(scheduler.status.phase == .running)
    }

    @Test func resetIsAsNew() {
        fixture.enable("a", "b")
        scheduler.disableLoop("core")
        fixture.start()
        scheduler.reset()
        #expect(scheduler.enabledLoops == ["core"])
        #expect(scheduler.status.phase == .notStarted)
        #expect(scheduler.status.cycles == 0)
        #expect(fixture.passing(.seconds(100)).isEmpty)
        #expect(scheduler.start())
        #expect(fixture.passing(.zero) == ["core poll 0", "core apply 0"])
    }

    @Test func resetWhileSuspendedAndTwice() {
        fixture.start()
        scheduler.suspend()
        scheduler.reset()
        scheduler.reset()
        #expect(!scheduler.resume())
        #expect(scheduler.start())
        #expect(fixture.passing(.seconds(30)).filter { $0 == "core poll 0" }.count == 2)
    }

    @Test func whatIsQueuedWhenResetIsDropped() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.answer({
            try await gate.pass()
            return .init(eventID: "1")
        })
        fixture.start()
        scheduler.reset()
        gate.open()
        #expect(fixture.passing(.seconds(100)).isEmpty)
        #expect(fixture.core.cursor == "0")
    }

    /// The first cycle must not be lost to an operation that is on its way out.
    @Test func startRightAfterAResetAsksAtOnce() {
        let gate = Gate()
        fixture.core.answer({
            await gate.passStubbornly()
            return .init(eventID: "1")
        })
        fixture.start()
        scheduler.reset()
        #expect(scheduler.start())
        #expect(fixture.passing(.seconds(5)).isEmpty)
        gate.open()
        fixture.time.settle()
        #expect(fixture.journal.take() == ["core poll 0", "core apply 0"])
        #expect(!fixture.core.hasOverlapped)
    }

    @Test func triggersRunBetweenTicks() {
        fixture.enable("a", "b")
        fixture.start()
        _ = fixture.journal.take()
        #expect(scheduler.triggerLoop("b"))
        #expect(scheduler.triggerCoreLoop())
        #expect(fixture.passing(.zero).filter { $0.contains("poll") } == ["b poll 0", "core poll 0"])
        scheduler.triggerAll()
        #expect(
            fixture.passing(.zero).filter { $0.contains("poll") } == ["core poll 0", "a poll 0", "b poll 0"])
        // Ticks stay where they are.
        #expect(fixture.passing(.seconds(29)).isEmpty)
        #expect(fixture.passing(.seconds(1)).count == 6)
    }

    @Test func triggersOfWhatIsQueuedAreOne() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        for _ in 0..<5 { #expect(scheduler.triggerLoop("a")) }
        gate.open()
        fixture.time.settle()
        #expect(fixture.journal.take().filter { $0 == "a poll 0" }.count == 1)
    }

    /// What the trigger is about may have come after the poll began.
    @Test func triggersOfWhatRunsMakeOneMoreRun() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.answer({
            try await gate.pass()
            return .init(eventID: "1")
        })
        fixture.start()
        for _ in 0..<5 { #expect(scheduler.triggerCoreLoop()) }
        gate.open()
        fixture.time.settle()
        #expect(
            fixture.journal.take().filter { $0.contains("poll") } == [
                "core poll 0", "a poll 0", "core poll 1",
            ])
    }

    @Test func triggersWhileSuspendedWaitForTheResumption() {
        fixture.start()
        scheduler.suspend()
        _ = fixture.journal.take()
        #expect(scheduler.triggerCoreLoop())
        #expect(fixture.passing(.zero).isEmpty)
        scheduler.resume()
        #expect(fixture.passing(.zero) == ["core poll 0", "core apply 0"])
    }

    @Test func settledReturnsWhenTheQueueIsEmpty() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        _ = fixture.time.spawn { [scheduler, journal = fixture.journal] in
            await scheduler.settled()
            journal.note("settled")
        }
        fixture.time.settle()
        #expect(!fixture.journal.take().contains("settled"))
        gate.open()
        fixture.time.settle()
        #expect(fixture.journal.take() == ["core apply 0", "a poll 0", "a apply 0", "settled"])
    }

    @Test func whoWaitsForWhatHasJustBegunIsNotLetGoByWhatSettledBefore() {
        let executor = InterruptedExecutor()
        let fixture = SchedulerFixture { $0.executor = executor }
        let scheduler = fixture.scheduler, gate = Gate()
        fixture.core.answer(.init(eventID: "1"))
        fixture.core.applying({ _ in }, { _ in try await gate.pass() })
        scheduler.start()
        executor.runAll()
        // The alarm rings for nothing, so that the resumption sets it anew: that is where it is interrupted.
        scheduler.suspend()
        fixture.time.advance(by: .seconds(10))
        executor.runAll()
        executor.interrupt {
            scheduler.triggerCoreLoop()
            _ = Task.detached(executorPreference: executor) { [journal = fixture.journal] in
                await scheduler.settled()
                journal.note("settled")
            }
            executor.runAll()
        }
        _ = fixture.journal.take()
        scheduler.resume()
        executor.runAll()
        #expect(fixture.journal.take() == ["core poll 1"])
        gate.open()
        executor.runAll()
        #expect(fixture.journal.take() == ["core apply 1", "settled"])
    }

    @Test func settledAfterASuspensionWaitsForWhatRunsAlone() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        scheduler.suspend()
        _ = fixture.time.spawn { [scheduler, journal = fixture.journal] in
            await scheduler.settled()
            journal.note("settled")
        }
        #expect(!fixture.passing(.seconds(100)).contains("settled"))
        gate.open()
        #expect(fixture.passing(.zero) == ["core apply 0", "settled"])
    }

    @Test func settledEndsWithTheTaskThatWaits() {
        let gate = Gate()
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        let waiter = fixture.time.spawn { [scheduler, journal = fixture.journal] in
            await scheduler.settled()
            journal.note("left")
        }
        fixture.time.settle()
        waiter.cancel()
        #expect(fixture.passing(.zero).contains("left"))
        gate.open()
        fixture.time.settle()
    }

    @Test func aLoopDoesNotWaitForItself() {
        fixture.core.applying { [weak scheduler] _ in await scheduler?.settled() }
        fixture.start()
        #expect(fixture.journal.take() == ["core poll 0", "core apply 0"])
    }
}

/// Runs its jobs where ``runAll()`` is called. What comes first after ``interrupt(_:)`` has other work done in between.
private final class InterruptedExecutor: TaskExecutor {
    private let jobs = ManualExecutor()
    private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

    func interrupt(_ work: @escaping @Sendable () -> Void) { interruption.withLock { $0 = work } }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.enqueue(job)
        interruption.withLock { $0.take() }?()
    }

    func runAll() { jobs.runAll() }
}
