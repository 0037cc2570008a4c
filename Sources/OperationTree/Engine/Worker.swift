import Synchronization

/// Does one piece of work after the other in one task. The watchdog can cancel work that exceeds its time limit.
///
/// A cancelled task stays cancelled. A worker whose work was cancelled is therefore *spent*, and the engine continues
/// with it in a new task.
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

    /// Does `work`. Throws ``TimeLimitExceeded`` if it took the limit or longer, even if it succeeded.
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

    /// Runs `body`, while ``expire(at:)`` can cancel the current task.
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

    /// Cancels the current work if its deadline has passed.
    ///
    /// - Returns: The time left until the deadline; nil if the worker is idle, or its work has been cancelled.
    func expire(at now: Duration) -> Duration? {
        state.withLock { state in
            guard let deadline = state.deadline, !state.isSpent, let task = state.task else { return nil }
            if deadline > now { return deadline - now }
            state.isSpent = true
            // While the lock is held, the task can't leave `withCancellableTask`, so the handle is valid. `cancel` may
            // call the step's cancellation handlers. They have no access to code that takes this lock.
            task.cancel()
            return nil
        }
    }
}

/// A task that another task can cancel.
///
/// `@unchecked Sendable`: the methods that `UnsafeCurrentTask` shares with `Task` may be called from other tasks, and
/// only `cancel` is called. The worker guards the handle's lifetime.
private struct TaskHandle: @unchecked Sendable {
    let task: UnsafeCurrentTask

    func cancel() { task.cancel() }
}
