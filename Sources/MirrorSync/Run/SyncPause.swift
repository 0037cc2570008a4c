import OperationTree
import Synchronization

/// Pauses and resumes all trees of one sync, including trees that begin during the pause.
final class SyncPause: Sendable {
    /// A weak reference to the run of a tree.
    private struct RunReference: Sendable {
        /// Both closures return `nil` when the run no longer exists.
        let set: @Sendable (_ isPaused: Bool) -> Void?
        let isAtRest: @Sendable () -> Bool?
    }

    private struct State {
        var isPaused = false
        var runs: [RunReference] = []
    }

    private let state = Mutex(State())

    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Whether a tree is paused and none of its items is being performed. A synchronous sync then does nothing else.
    var isAtRest: Bool { state.withLock { $0.runs.contains { $0.isAtRest() == true } } }

    /// Pauses or resumes all runs. The lock is held meanwhile, so that concurrent calls reach all runs in the same order.
    func set(_ isPaused: Bool) {
        state.withLock { state in
            state.isPaused = isPaused
            state.runs.removeAll { $0.set(isPaused) == nil }
        }
    }

    /// Adds a run, which is paused if the sync is paused.
    func adopt<Input>(_ run: Run<Input, SyncEnvironment>) {
        state.withLock { state in
            if state.isPaused { run.pause() }
            state.runs.append(
                RunReference(
                    set: { [weak run] isPaused in isPaused ? run?.pause() : run?.resume() },
                    isAtRest: { [weak run] in run?.isAtRest }))
        }
    }
}
