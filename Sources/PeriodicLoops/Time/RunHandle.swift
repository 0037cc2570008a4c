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
        // Detached: priority and task-local values of the task that enables something are not for its work.
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

    /// The work is done: all that wait for it go on.
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

/// Tasks that wait for a condition. Each stops waiting if it is cancelled.
final class WaitingRoom: Sendable {
    private struct State {
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// Returns when ``open()`` is called, at once if it `isOver` already.
    func wait(until isOver: () -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting[id] = continuation }
                // Checked only now: if the condition becomes true later, `open()` finds this task waiting.
                if Task.isCancelled || isOver() { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }

    func open() {
        for continuation in empty() { continuation.resume() }
    }

    /// The continuations of all that wait now, for the caller to resume. Tasks that come later are not among them.
    func empty() -> [CheckedContinuation<Void, Never>] {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
}
