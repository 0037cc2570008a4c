import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// The parts that start, cancel and wait.
@Suite struct TaskTests {
    private let time = VirtualClock()
    private let journal = Journal()

    @Test func whatIsCancelledBeforeItStartsIsCancelled() {
        let handle = RunHandle()
        handle.cancel()
        handle.start(on: time.executor) { [journal] in journal.note("\(Task.isCancelled)") }
        time.settle()
        #expect(journal.take() == ["true"])
    }

    @Test func whoWaitsForWhatHasEndedGoesOn() {
        let handle = RunHandle()
        handle.end()
        _ = time.spawn { [journal] in
            await handle.waitForEnd()
            journal.note("on")
        }
        time.settle()
        #expect(journal.take() == ["on"])
    }

    @Test func allWhoWaitGoOnInTheirOrder() {
        let room = WaitingRoom()
        for number in 0..<20 {
            _ = time.spawn { [journal] in
                await room.wait { false }
                journal.note("\(number)")
            }
        }
        time.settle()
        #expect(journal.take().isEmpty)
        room.open()
        time.settle()
        #expect(journal.take() == (0..<20).map(String.init))
    }

    @Test func whoIsCancelledBeforeWaitingDoesNotWait() {
        let room = WaitingRoom()
        let waiter = time.spawn { [journal] in
            await room.wait { false }
            journal.note("left")
        }
        waiter.cancel()
        time.settle()
        #expect(journal.take() == ["left"])
    }

    private final class Sleepyhead: AlarmOwner {
        let journal: Journal
        init(_ journal: Journal) { self.journal = journal }
        func wake() { journal.note("woken") }
    }

    @Test func anAlarmRingsAtTheEarliestTimeThatWasAsked() {
        let (owner, alarm) = (Sleepyhead(journal), Alarm(clock: time.loopClock, executor: time.executor))
        for seconds in [50, 20, 30] { alarm.ring(noLaterThan: .seconds(seconds), owner) }
        alarm.ring(noLaterThan: nil, owner)
        time.advance(by: .seconds(19))
        #expect(journal.take().isEmpty)
        #expect(time.sleepers == 1)
        time.advance(by: .seconds(1))
        #expect(journal.take() == ["woken"])
        // Once: what is due later is for the owner to say.
        time.advance(by: .seconds(100))
        #expect(journal.take().isEmpty)
        alarm.ring(noLaterThan: .seconds(5), owner)
        time.settle()
        #expect(journal.take() == ["woken"])
    }

    @Test func anAlarmThatHasEndedWakesNobody() {
        let (owner, alarm) = (Sleepyhead(journal), Alarm(clock: time.loopClock, executor: time.executor))
        alarm.ring(noLaterThan: .seconds(5), owner)
        time.settle()
        alarm.end()
        alarm.ring(noLaterThan: .seconds(7), owner)
        time.advance(by: .seconds(10))
        #expect(journal.take().isEmpty)
        #expect(time.sleepers == 0)
    }

    @Test func aClockSaysWhatItBeganWith() async throws {
        let clock = LoopClock.continuous(startingAt: .seconds(1_700_000_000))
        let first = clock.now()
        try await clock.sleep(.zero)
        #expect(first >= .seconds(1_700_000_000))
        #expect(clock.now() >= first)
        #expect(clock.now() < .seconds(1_700_086_400))
    }
}
