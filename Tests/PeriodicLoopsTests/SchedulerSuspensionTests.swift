import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Suspending, resuming, resetting, triggering and waiting for a scheduler to settle.
@Suite struct SchedulerSuspensionTests {
    private let fixture = SchedulerFixture()
    private var scheduler: EventsPeriodicScheduler { fixture.scheduler }

    @Test func suspendingASchedulerStartsNoOperationAndEmptiesTheQueue() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        #expect(scheduler.suspend())
        #expect(scheduler.status.phase == .suspended)
        gate.open()
        // The running operation continues to its end.
        #expect(fixture.passing(.seconds(20)) == ["core apply 0"])
        #expect(fixture.passing(.seconds(200)).isEmpty)
        #expect(fixture.status("a")?.activity == .waiting)
        #expect(scheduler.resume())
        fixture.time.settle()
        // The ticks that passed count as one, at which all loops are polled.
        #expect(
            fixture.log.take() == ["core poll 0", "core apply 0", "a poll 0", "a apply 0"])
        #expect(scheduler.status.skippedTicks == 0)
    }

    @Test func loopsDroppedBySuspendingArePolledAtTheNextTick() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        // Both are queued: one behind the running operation; the other, which runs, again after it.
        scheduler.triggerAll()
        scheduler.suspend()
        gate.open()
        fixture.time.settle()
        scheduler.resume()
        #expect(fixture.passing(.seconds(29)) == [])
        #expect(
            fixture.passing(.seconds(1)) == ["core poll 0", "core apply 0", "a poll 0", "a apply 0"])
    }

    @Test func furtherPagesOfAFeedAreReadAfterTheSchedulerIsResumed() {
        let gate = Gate()
        fixture.core.answer(.init(eventID: "1", hasMore: true), .init(eventID: "2"))
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        scheduler.suspend()
        gate.open()
        #expect(fixture.passing(.seconds(5)) == ["core apply 1"])
        scheduler.resume()
        #expect(fixture.passing(.zero) == ["core poll 1", "core apply 2"])
    }

    @Test func ticksDuringASuspensionCountAsOne() {
        fixture.start()
        scheduler.suspend()
        #expect(fixture.passing(.seconds(100)).count == 0)
        scheduler.resume()
        #expect(fixture.passing(.zero) == ["core poll 0", "core apply 0"])
        #expect(fixture.passing(.seconds(19)).isEmpty)
        #expect(fixture.passing(.seconds(1)) == ["core poll 0", "core apply 0"])
    }

    @Test func aShortSuspensionSkipsNoTick() {
        fixture.start()
        scheduler.suspend()
        fixture.time.advance(by: .seconds(5))
        scheduler.resume()
        #expect(fixture.passing(.seconds(24)).isEmpty)
        #expect(fixture.passing(.seconds(1)) == ["core poll 0", "core apply 0"])
    }

    @Test func suspendingAndResumingASchedulerInTheWrongStateHasNoEffect() {
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

    @Test func aResetSchedulerBehavesLikeANewOne() {
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

    @Test func resettingASchedulerWorksWhileSuspendedAndTwice() {
        fixture.start()
        scheduler.suspend()
        scheduler.reset()
        scheduler.reset()
        #expect(!scheduler.resume())
        #expect(scheduler.start())
        #expect(fixture.passing(.seconds(30)).filter { $0 == "core poll 0" }.count == 2)
    }

    @Test func resettingASchedulerEmptiesTheQueue() {
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

    /// A cancelled operation that hasn't returned must not cause the first tick to be skipped.
    @Test func startingASchedulerRightAfterAResetPollsAtOnce() {
        let gate = Gate()
        fixture.core.answer({
            await gate.passIgnoringCancellation()
            return .init(eventID: "1")
        })
        fixture.start()
        scheduler.reset()
        #expect(scheduler.start())
        #expect(fixture.passing(.seconds(5)).isEmpty)
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take() == ["core poll 0", "core apply 0"])
        #expect(!fixture.core.hasOverlapped)
    }

    @Test func triggeredLoopsArePolledBetweenTicks() {
        fixture.enable("a", "b")
        fixture.start()
        _ = fixture.log.take()
        #expect(scheduler.triggerLoop("b"))
        #expect(scheduler.triggerCoreLoop())
        #expect(fixture.passing(.zero).filter { $0.contains("poll") } == ["b poll 0", "core poll 0"])
        scheduler.triggerAll()
        #expect(
            fixture.passing(.zero).filter { $0.contains("poll") } == ["core poll 0", "a poll 0", "b poll 0"])
        // The ticks don't move.
        #expect(fixture.passing(.seconds(29)).isEmpty)
        #expect(fixture.passing(.seconds(1)).count == 6)
    }

    @Test func triggeringAQueuedLoopAgainHasNoEffect() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        for _ in 0..<5 { #expect(scheduler.triggerLoop("a")) }
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take().filter { $0 == "a poll 0" }.count == 1)
    }

    /// The event that led to the trigger may have happened after the poll began.
    @Test func triggeringARunningLoopPollsItAgainOnce() {
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
            fixture.log.take().filter { $0.contains("poll") } == [
                "core poll 0", "a poll 0", "core poll 1",
            ])
    }

    @Test func loopsTriggeredWhileSuspendedArePolledAfterResuming() {
        fixture.start()
        scheduler.suspend()
        _ = fixture.log.take()
        #expect(scheduler.triggerCoreLoop())
        #expect(fixture.passing(.zero).isEmpty)
        scheduler.resume()
        #expect(fixture.passing(.zero) == ["core poll 0", "core apply 0"])
    }

    @Test func settledReturnsWhenNoOperationRunsOrIsQueued() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        _ = fixture.time.spawn { [scheduler, log = fixture.log] in
            await scheduler.settled()
            log.record("settled")
        }
        fixture.time.settle()
        #expect(!fixture.log.take().contains("settled"))
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take() == ["core apply 0", "a poll 0", "a apply 0", "settled"])
    }

    @Test func settledDoesNotReturnForAnEarlierSettlement() {
        let executor = InterruptedExecutor()
        let fixture = SchedulerFixture { $0.executor = executor }
        let scheduler = fixture.scheduler, gate = Gate()
        fixture.core.answer(.init(eventID: "1"))
        fixture.core.beforeCommit({ _ in }, { _ in try await gate.pass() })
        scheduler.start()
        executor.runAll()
        // The alarm rings without a reason, so that resuming sets it again. The resumption is interrupted there.
        scheduler.suspend()
        fixture.time.advance(by: .seconds(10))
        executor.runAll()
        executor.interrupt {
            scheduler.triggerCoreLoop()
            _ = Task.detached(executorPreference: executor) { [log = fixture.log] in
                await scheduler.settled()
                log.record("settled")
            }
            executor.runAll()
        }
        _ = fixture.log.take()
        scheduler.resume()
        executor.runAll()
        #expect(fixture.log.take() == ["core poll 1"])
        gate.open()
        executor.runAll()
        #expect(fixture.log.take() == ["core apply 1", "settled"])
    }

    @Test func settledAfterASuspensionWaitsOnlyForTheRunningOperation() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        scheduler.suspend()
        _ = fixture.time.spawn { [scheduler, log = fixture.log] in
            await scheduler.settled()
            log.record("settled")
        }
        #expect(!fixture.passing(.seconds(100)).contains("settled"))
        gate.open()
        #expect(fixture.passing(.zero) == ["core apply 0", "settled"])
    }

    @Test func settledReturnsWhenItsTaskIsCancelled() {
        let gate = Gate()
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        let waiter = fixture.time.spawn { [scheduler, log = fixture.log] in
            await scheduler.settled()
            log.record("left")
        }
        fixture.time.settle()
        waiter.cancel()
        #expect(fixture.passing(.zero).contains("left"))
        gate.open()
        fixture.time.settle()
    }

    @Test func settledReturnsAtOnceWhenCalledFromALoop() {
        fixture.core.beforeCommit { [weak scheduler] _ in await scheduler?.settled() }
        fixture.start()
        #expect(fixture.log.take() == ["core poll 0", "core apply 0"])
    }
}

/// Runs its jobs when ``runAll()`` is called. After ``interrupt(_:)``, the first enqueued job triggers the given work.
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
