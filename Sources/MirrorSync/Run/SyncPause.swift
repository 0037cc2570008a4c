import OperationTree
import Synchronization

/// Holds up all trees of one sync, one after the other, those that begin later included.
final class SyncPause: Sendable {
    /// One tree's run, which belongs to others.
    private struct Held: Sendable {
        /// Both return `nil` once the run is gone.
        let set: @Sendable (_ isPaused: Bool) -> Void?
        let isAtRest: @Sendable () -> Bool?
    }

    private struct State {
        var isPaused = false
        var runs: [Held] = []
    }

    private let state = Mutex(State())

    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Whether a tree is held up with nothing of it in work. In a synchronous sync nothing else goes on then.
    var isAtRest: Bool { state.withLock { $0.runs.contains { $0.isAtRest() == true } } }

    /// Runs are told under the lock: of a pause and a resume at once, all runs hear the same one last.
    func set(_ isPaused: Bool) {
        state.withLock { state in
            state.isPaused = isPaused
            state.runs.removeAll { $0.set(isPaused) == nil }
        }
    }

    func adopt<Input>(_ run: Run<Input, SyncEnvironment>) {
        state.withLock { state in
            if state.isPaused { run.pause() }
            state.runs.append(
                Held(
                    set: { [weak run] isPaused in isPaused ? run?.pause() : run?.resume() },
                    isAtRest: { [weak run] in run?.isAtRest }))
        }
    }
}
