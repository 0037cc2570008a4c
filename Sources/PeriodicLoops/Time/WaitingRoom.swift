import Synchronization

/// Those who wait until something has come about. Each leaves early if its task is cancelled.
final class WaitingRoom: Sendable {
    /// Some who waited, on their way out.
    struct Leaving: Sendable {
        fileprivate let continuations: [CheckedContinuation<Void, Never>]

        func goOn() {
            for continuation in continuations { continuation.resume() }
        }
    }

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

    func open() { empty().goOn() }

    /// Those who wait now. Who comes in from here on isn't let go with them, however late they go.
    func empty() -> Leaving {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        return Leaving(continuations: waiting.sorted { $0.key < $1.key }.map(\.value))
    }
}
