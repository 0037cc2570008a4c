import Synchronization

/// A task that may be cancelled before it is there, and waited for.
final class RunHandle: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let room = WaitingRoom()

    func start(on executor: (any TaskExecutor)?, _ work: @escaping @Sendable () async -> Void) {
        // Detached: who happens to enable something hands on neither priority nor task-local values.
        let task = Task.detached(executorPreference: executor, operation: work)
        let isCancelled = state.withLock { state in
            if !state.isEnded { state.task = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// The work is done: whoever waits for it goes on.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.task = nil
        }
        room.open()
    }

    /// Returns when the work is done, or the caller's task is cancelled.
    func waitForEnd() async {
        await room.wait { state.withLock { $0.isEnded } }
    }
}
