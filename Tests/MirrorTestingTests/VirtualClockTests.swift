import MirrorTesting
import Synchronization
import Testing

@Suite struct VirtualClockTests {
    private let clock = VirtualClock()
    private let wakeTimes = WakeTimes()

    /// The times at which tasks woke.
    private final class WakeTimes: Sendable {
        let times = Mutex<[Duration]>([])
    }

    private func sleeper(_ seconds: Int...) -> Task<Void, Never> {
        clock.spawn { [clock, wakeTimes] in
            for second in seconds {
                guard (try? await clock.sleep(.seconds(second))) != nil else { return }
                wakeTimes.times.withLock { $0.append(clock.elapsed) }
            }
        }
    }

    private var times: [Duration] { wakeTimes.times.withLock { $0 } }

    @Test func tasksOnAVirtualClocksExecutorWakeAtTheEndOfEachWait() {
        _ = sleeper(1, 2)
        _ = sleeper(2)
        clock.advance(by: .seconds(10))
        #expect(times == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(clock.elapsed == .seconds(10) && clock.sleepers == 0)
        #expect(clock.waits == [.seconds(1), .seconds(2), .seconds(2)])
    }

    @Test func aLeapOfAVirtualClockEndsAllWaitsAtItsEnd() {
        _ = sleeper(1, 2)
        _ = sleeper(2)
        clock.settle()
        clock.leap(by: .seconds(10))
        #expect(times == [.seconds(10), .seconds(10)])
        #expect(clock.sleepers == 1)
        clock.advance(by: .seconds(2))
        #expect(times.last == .seconds(12))
    }

    @Test func waitingForATaskOnAVirtualClockTakesNoVirtualTime() async {
        let task = sleeper(60)
        clock.settle()
        task.cancel()
        await clock.value(of: task)
        #expect(times.isEmpty && clock.elapsed == .zero && clock.sleepers == 0)
    }

    @Test func waitingForTheValueOfAThrowingTaskThrowsItsError() async throws {
        let task = clock.spawn { [clock] in
            try await clock.sleep(.seconds(60))
            return 7
        }
        clock.advance(by: .seconds(60))
        #expect(try await clock.value(of: task) == 7)
        let cancelled = clock.spawn { [clock] in try await clock.sleep(.seconds(60)) }
        clock.settle()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await clock.value(of: cancelled) }
    }

    @Test func aWaitOfAJumpingVirtualClockEndsAtOnceAndAdvancesIt() async throws {
        let clock = VirtualClock(.jumping)
        try await clock.sleep(.seconds(60))
        try await clock.sleep(.zero)
        #expect(clock.elapsed == .seconds(60) && clock.waits == [.seconds(60), .zero])
    }
}
