import Foundation
import MirrorHTTP
import PeriodicLoops
import Synchronization

/// Time for tests: it passes only when a test says so, or, in the jumping mode, exactly when somebody waits.
///
/// A session takes its ``sessionClock``. Loops, a polling centre and a watch take its ``loopClock`` and its ``executor``: then
/// nothing runs but in ``settle()`` and ``advance(by:)``, on the test's own thread, and when these return, everything that could
/// happen has happened, in the same order each time.
public final class VirtualClock: Sendable {
    public enum Mode: Sendable {
        /// Sleepers wake when ``advance(by:)`` has passed their time.
        case byHand
        /// A sleep takes no time: the clock jumps to its end.
        case jumping
    }

    private struct Sleeper {
        let id: Int
        let end: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var elapsed: Duration = .zero
        var waits: [Duration] = []
        var sleepers: [Sleeper] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var lastID = 0
    }

    /// Runs the tasks that are to run on this time alone. Nobody has to use it.
    public let executor = ManualExecutor()
    private let mode: Mode
    private let start: Date
    private let state = Mutex(State())

    /// - Parameter start: What the wall clock says at first. Default: 14 November 2023, 22:13:20 UTC.
    public init(_ mode: Mode = .byHand, start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.mode = mode
        self.start = start
    }

    /// For a session's configuration.
    public var sessionClock: SessionClock {
        SessionClock(
            now: { self.now }, elapsed: { self.elapsed }, sleep: { try await self.sleep($0) })
    }

    /// For a scheduler, a polling centre or a watch. Its zero is the moment at which this clock was made.
    public var loopClock: LoopClock {
        LoopClock(now: { self.elapsed }, sleep: { try await self.sleep($0) })
    }

    /// The time since this clock was made.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// The wall clock's time.
    public var now: Date {
        let (seconds, attoseconds) = elapsed.components
        return start.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// Every wait that was asked for, in order.
    public var waits: [Duration] { state.withLock { $0.waits } }

    /// How many wait for time to pass.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    // MARK: - Letting time pass

    /// Runs all that can run now on the ``executor``.
    public func settle() { executor.runAll() }

    /// Lets time pass, from the end of one wait to the next, and runs all that can run on the ``executor`` at each.
    public func advance(by duration: Duration) {
        let end = elapsed + duration
        settle()
        while let sleeper = popSleeper(notAfter: end) {
            sleeper.continuation.resume()
            settle()
        }
        state.withLock { $0.elapsed = max($0.elapsed, end) }
        settle()
    }

    /// Lets time pass as if the machine had slept: all whose time has come find the whole of it gone.
    public func leap(by duration: Duration) {
        state.withLock { $0.elapsed += duration }
        advance(by: .zero)
    }

    /// Waits for time to pass; zero and less return at once.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(_ duration: Duration) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state -> Int? in
            state.waits.append(duration)
            guard duration > .zero else { return nil }
            if mode == .jumping {
                state.elapsed += duration
                return nil
            }
            state.lastID += 1
            return state.lastID
        }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                fallAsleep(id, for: duration, continuation)
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func fallAsleep(
        _ id: Int, for duration: Duration, _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let (isCancelled, reached) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
            if Task.isCancelled { return (true, []) }
            state.sleepers.append(
                Sleeper(id: id, end: state.elapsed + duration, continuation: continuation))
            let count = state.sleepers.count
            let reached = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return (false, reached)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        for watcher in reached { watcher.resume() }
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
            state.elapsed = max(state.elapsed, sleeper.end)
            return sleeper
        }
    }

    // MARK: - Tasks

    /// Starts a task on the ``executor``.
    public func spawn<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        Task.detached(executorPreference: executor, operation: work)
    }

    /// Starts a task that may throw, such as a watch.
    public func spawn<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task.detached(executorPreference: executor, operation: work)
    }

    /// Runs the ``executor`` until a task of it has ended, which may wait for files or for tasks elsewhere. No time passes.
    ///
    /// - Returns: the task's value.
    @discardableResult
    public func value<Value: Sendable>(of task: Task<Value, Never>) async -> Value {
        await result(of: task).get()
    }

    /// The same for a task that may throw.
    ///
    /// - Throws: what the task threw.
    @discardableResult
    public func value<Value: Sendable>(of task: Task<Value, any Error>) async throws -> Value {
        try await result(of: task).get()
    }

    private func result<Value: Sendable, Failure: Error>(
        of task: Task<Value, Failure>
    ) async -> Result<Value, Failure> {
        let isOver = Atomic(false)
        async let result = task.result
        async let pump: Void = {
            while !isOver.load(ordering: .acquiring) {
                settle()
                await executor.arrival()
            }
        }()
        let value = await result
        isOver.store(true, ordering: .releasing)
        executor.wake()
        await pump
        return value
    }

    /// Runs the ``executor`` until a condition holds to which files or tasks elsewhere contribute. No time passes.
    ///
    /// - Returns: whether it holds; `false` after 10,000 turns.
    public func settle(until condition: () throws -> Bool) async rethrows -> Bool {
        for _ in 0..<10_000 {
            settle()
            if try condition() { return true }
            await executor.arrival()
        }
        return false
    }

    /// Returns as soon as that many sleep at the same time, for tasks that run elsewhere than on the ``executor``.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}
