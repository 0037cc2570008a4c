import PeriodicLoops
import Synchronization

/// Time and tasks in a test's hand: nothing runs but in ``settle()``, on the test's own thread, and no time passes but in
/// ``pass(_:)``. After either, everything that could happen has happened, in the same order each time.
public final class HandTime: Sendable {
    private struct Sleeper {
        let id: Int
        let end: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var sleepers: [Sleeper] = []
        var lastID = 0
    }

    public let executor = HandExecutor()
    private let state = Mutex(State())

    public init() {}

    public var now: Duration { state.withLock { $0.now } }

    /// How many wait for time to pass.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    public var clock: LoopClock {
        LoopClock(now: { self.now }, sleep: { try await self.sleep($0) })
    }

    /// Runs all that can run now.
    public func settle() { executor.runAll() }

    /// Lets time pass, from one end of a wait to the next, and runs all that can run at each.
    public func pass(_ duration: Duration) {
        let end = now + duration
        settle()
        while let sleeper = popSleeper(notAfter: end) {
            sleeper.continuation.resume()
            settle()
        }
        state.withLock { $0.now = end }
        settle()
    }

    /// Lets time pass as if the machine had slept: whoever waits finds it gone all at once.
    public func leap(_ duration: Duration) {
        state.withLock { $0.now += duration }
        pass(.zero)
    }

    /// Lets `work` go on by itself, on this time.
    public func spawn(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor, operation: work)
    }

    /// Where there is nothing to wait for, at once.
    public func sleep(_ duration: Duration) async throws {
        guard duration > .zero else { return try Task.checkCancellation() }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.sleepers.append(
                        Sleeper(id: id, end: state.now + duration, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func popSleeper(notAfter end: Duration) -> Sleeper? {
        state.withLock { state in
            let due = state.sleepers.indices.filter { state.sleepers[$0].end <= end }
            let next = due.min { lhs, rhs in
                let (lhs, rhs) = (state.sleepers[lhs], state.sleepers[rhs])
                return (lhs.end, lhs.id) < (rhs.end, rhs.id)
            }
            guard let next else { return nil }
            let sleeper = state.sleepers.remove(at: next)
            state.now = max(state.now, sleeper.end)
            return sleeper
        }
    }
}

/// Runs its jobs one by one where ``runAll()`` is called.
public final class HandExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let (arrivals, arrived) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wake()
    }

    public func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Returns when a job has come since this was last called, or ``wake()`` was: somewhere else something was awaited that
    /// takes its own time. For one at a time.
    public func arrival() async {
        for await _ in arrivals { return }
    }

    /// Lets ``arrival()`` return.
    public func wake() { arrived.yield() }
}
