import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Task handles, waiting tasks, alarms and clocks.
@Suite struct RunHandleAndAlarmTests {
    private let time = VirtualClock()
    private let log = EventLog()

    @Test func aTaskCancelledBeforeItStartsIsCancelled() {
        let handle = RunHandle()
        handle.cancel()
        handle.start(on: time.executor) { [log] in log.record("\(Task.isCancelled)") }
        time.settle()
        #expect(log.take() == ["true"])
    }

    @Test func waitingForAnEndedTaskReturnsAtOnce() {
        let handle = RunHandle()
        handle.end()
        _ = time.spawn { [log] in
            await handle.waitForEnd()
            log.record("on")
        }
        time.settle()
        #expect(log.take() == ["on"])
    }

    @Test func waitingTasksAreResumedInTheirOrder() {
        let waitingTasks = WaitingTasks()
        for number in 0..<20 {
            _ = time.spawn { [log] in
                await waitingTasks.wait { false }
                log.record("\(number)")
            }
        }
        time.settle()
        #expect(log.take().isEmpty)
        waitingTasks.open()
        time.settle()
        #expect(log.take() == (0..<20).map(String.init))
    }

    @Test func aTaskCancelledBeforeItWaitsDoesNotWait() {
        let waitingTasks = WaitingTasks()
        let waiter = time.spawn { [log] in
            await waitingTasks.wait { false }
            log.record("left")
        }
        waiter.cancel()
        time.settle()
        #expect(log.take() == ["left"])
    }

    private final class RecordingOwner: AlarmOwner {
        let log: EventLog
        init(_ log: EventLog) { self.log = log }
        func wake() { log.record("woken") }
    }

    @Test func anAlarmRingsAtTheEarliestTimeSet() {
        let (owner, alarm) = (RecordingOwner(log), Alarm(clock: time.loopClock, executor: time.executor))
        for seconds in [50, 20, 30] { alarm.ring(noLaterThan: .seconds(seconds), owner) }
        alarm.ring(noLaterThan: nil, owner)
        time.advance(by: .seconds(19))
        #expect(log.take().isEmpty)
        #expect(time.sleepers == 1)
        time.advance(by: .seconds(1))
        #expect(log.take() == ["woken"])
        // It rings once. The owner must set later alarms itself.
        time.advance(by: .seconds(100))
        #expect(log.take().isEmpty)
        alarm.ring(noLaterThan: .seconds(5), owner)
        time.settle()
        #expect(log.take() == ["woken"])
    }

    @Test func anEndedAlarmDoesNotRing() {
        let (owner, alarm) = (RecordingOwner(log), Alarm(clock: time.loopClock, executor: time.executor))
        alarm.ring(noLaterThan: .seconds(5), owner)
        time.settle()
        alarm.end()
        alarm.ring(noLaterThan: .seconds(7), owner)
        time.advance(by: .seconds(10))
        #expect(log.take().isEmpty)
        #expect(time.sleepers == 0)
    }

    @Test func aClockStartsAtTheGivenReading() async throws {
        let clock = LoopClock.continuous(startingAt: .seconds(1_700_000_000))
        let first = clock.now()
        try await clock.sleep(.zero)
        #expect(first >= .seconds(1_700_000_000))
        #expect(clock.now() >= first)
        #expect(clock.now() < .seconds(1_700_086_400))
    }
}
