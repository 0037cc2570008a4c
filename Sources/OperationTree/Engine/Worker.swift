import Synchronization

/// Runs one piece of work after the other in one task, and lets the watchdog cancel what takes too long.
///
/// A cancelled task stays cancelled, so a worker whose work was cancelled is spent: the engine replaces it.
final class Worker: Sendable {
    private struct State {
        var task: TaskHandle?
        var deadline: Duration?
        var isSpent = false
    }

    let engine: Engine
    let reports = ReportCollector()
    private let state = Mutex(State())

    init(engine: Engine) { self.engine = engine }

    /// Whether the watchdog cancelled its task.
    var isSpent: Bool { state.withLock { $0.isSpent } }

    /// Does `work`, and throws ``TimeLimitExceeded`` if it took the limit or longer, even if it succeeded.
    func limited<Result>(
        _ limit: Duration, node: String, _ work: () async throws -> Result
    ) async throws -> Result {
        let deadline = engine.configuration.now() + limit
        state.withLock { $0.deadline = deadline }
        let result: Result
        do {
            result = try await work()
        } catch {
            throw end(deadline) ? TimeLimitExceeded(node: node, limit: limit) : error
        }
        if end(deadline) { throw TimeLimitExceeded(node: node, limit: limit) }
        return result
    }

    private func end(_ deadline: Duration) -> Bool {
        let isLate = engine.configuration.now() >= deadline
        return state.withLock { state in
            state.deadline = nil
            return isLate || state.isSpent
        }
    }

    /// Runs `body` with the current task open to ``expire(at:)``.
    func withCancellableTask<Result>(_ body: () async -> Result) async -> Result {
        await withUnsafeCurrentTask { task in
            state.withLock { state in
                state.isSpent = false
                state.task = task.map(TaskHandle.init)
            }
            let result = await body()
            state.withLock { $0.task = nil }
            return result
        }
    }

    /// Cancels what is at or beyond its deadline; otherwise returns how long it may still take, nil if it is idle
    /// or was cancelled before.
    func expire(at now: Duration) -> Duration? {
        state.withLock { state in
            guard let deadline = state.deadline, !state.isSpent, let task = state.task else { return nil }
            if deadline > now { return deadline - now }
            state.isSpent = true
            // Under this lock the task can't leave `withCancellableTask`, so the handle is good. Cancellation
            // handlers of the step may run here; nothing that they can reach takes this lock.
            task.cancel()
            return nil
        }
    }
}

/// A task that another one may cancel.
///
/// `@unchecked Sendable`: of `UnsafeCurrentTask`, what `Task` offers too may be called from other tasks, and
/// `cancel` is the one thing called; the worker guards the handle's lifetime.
private struct TaskHandle: @unchecked Sendable {
    let task: UnsafeCurrentTask

    func cancel() { task.cancel() }
}
