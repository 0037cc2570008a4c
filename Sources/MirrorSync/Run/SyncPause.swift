import OperationTree
import Synchronization

/// Holds up all trees of one sync, one after the other, those that begin later included.
final class SyncPause: Sendable {
    private struct State {
        var isPaused = false
        /// Tells a run; `false` once that is gone.
        var runs: [@Sendable (_ isPaused: Bool) -> Bool] = []
    }

    private let state = Mutex(State())

    var isPaused: Bool { state.withLock { $0.isPaused } }

    func set(_ isPaused: Bool) {
        state.withLock { state in
            state.isPaused = isPaused
            state.runs.removeAll { !$0(isPaused) }
        }
    }

    func adopt<Input>(_ run: Run<Input, SyncEnvironment>) {
        state.withLock { state in
            if state.isPaused { run.pause() }
            state.runs.append { [weak run] isPaused in
                guard let run else { return false }
                if isPaused { run.pause() } else { run.resume() }
                return true
            }
        }
    }
}
