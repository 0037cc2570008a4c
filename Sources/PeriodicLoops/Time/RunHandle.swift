import Synchronization

/// A task that can be awaited, and can be cancelled even before it is started.
final class RunHandle: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let waiters = WaitingTasks()

    func start(on executor: (any TaskExecutor)?, _ work: @escaping @Sendable () async -> Void) {
        // Detached: the work must not inherit the priority and task-local values of the task that enabled the item.
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

    /// Marks the work as done, and resumes all waiting tasks.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.task = nil
        }
        waiters.open()
    }

    /// Waits until the work is done or the calling task is cancelled.
    func waitForEnd() async {
        await waiters.wait { state.withLock { $0.isEnded } }
    }
}

/// Tasks that wait for a condition. A task stops waiting when it is cancelled.
final class WaitingTasks: Sendable {
    private struct State {
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// Waits until ``open()`` is called. Returns at once if `isOver` returns true.
    func wait(until isOver: () -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting[id] = continuation }
                // Checked after the task is registered: if the condition becomes true later, `open()` resumes it.
                if Task.isCancelled || isOver() { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }

    /// Resumes all waiting tasks.
    func open() {
        for continuation in removeAll() { continuation.resume() }
    }

    /// Removes and returns the continuations of all waiting tasks. The caller must resume them.
    func removeAll() -> [CheckedContinuation<Void, Never>] {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
}
