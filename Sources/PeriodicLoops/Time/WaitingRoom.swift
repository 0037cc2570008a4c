import Synchronization

/// Those who wait until something has come about. Each leaves early if its task is cancelled.
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
                // Asked only now: what comes about later opens the room, and finds this one in it.
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
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
    }
}
