import Foundation
import MirrorHTTP
import PeriodicLoops
import Synchronization

/// A clock for tests, whose time passes only when a test advances it.
///
/// In the mode ``Mode/jumping``, a wait advances the time instead.
///
/// - For a session, use ``sessionClock``.
/// - For loops, a polling centre and a watch, use ``loopClock`` and ``executor``. They then run only during ``settle()``
///   and ``advance(by:)``, on the test's thread. When these methods return, all tasks have done everything they can, in
///   the same order each time.
public final class VirtualClock: Sendable {
    /// How time passes.
    public enum Mode: Sendable {
        /// A wait ends when ``advance(by:)`` has passed its time.
        case byHand
        /// A wait ends at once, and advances the clock by its length.
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

    /// The executor for tasks that run only in this clock's time. Its use is optional.
    public let executor = ManualExecutor()
    private let mode: Mode
    private let start: Date
    private let state = Mutex(State())

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - mode: How time passes. Default: ``Mode/byHand``.
    ///   - start: The initial date. Default: 14 November 2023, 22:13:20 UTC.
    public init(_ mode: Mode = .byHand, start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.mode = mode
        self.start = start
    }

    /// This clock, for a session's configuration.
    public var sessionClock: SessionClock {
        SessionClock(
            now: { self.now }, elapsed: { self.elapsed }, sleep: { try await self.sleep($0) })
    }

    /// This clock, for a scheduler, a polling centre or a watch. Its zero is the time when this clock was created.
    public var loopClock: LoopClock {
        LoopClock(now: { self.elapsed }, sleep: { try await self.sleep($0) })
    }

    /// The virtual time since this clock was created.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// The current virtual date.
    public var now: Date {
        let (seconds, attoseconds) = elapsed.components
        return start.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// The lengths of all waits so far, in order.
    public var waits: [Duration] { state.withLock { $0.waits } }

    /// The number of tasks that wait for time to pass.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    // MARK: - Advancing time

    /// Runs all tasks on the ``executor`` as far as they can run now.
    public func settle() { executor.runAll() }

    /// Advances the time from the end of one wait to the next. At each, runs all tasks on the ``executor``.
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

    /// Advances the time in one step, as if the machine had slept. All waits that end in this time end at its end.
    public func leap(by duration: Duration) {
        state.withLock { $0.elapsed += duration }
        advance(by: .zero)
    }

    /// Waits for time to pass. Returns at once if the duration is zero or negative.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
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

    /// Runs the ``executor`` until one of its tasks has ended. No time passes.
    ///
    /// The task can also wait for files and for tasks on other executors.
    ///
    /// - Returns: The task's value.
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

    /// Runs the ``executor`` until a condition is true. No time passes.
    ///
    /// The condition can also depend on files and on tasks on other executors.
    ///
    /// - Returns: Whether the condition is true. False after 10,000 attempts.
    public func settle(until condition: () throws -> Bool) async rethrows -> Bool {
        for _ in 0..<10_000 {
            settle()
            if try condition() { return true }
            await executor.arrival()
        }
        return false
    }

    /// Waits until a number of tasks wait for time at the same moment; for tasks that don't run on the ``executor``.
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
