import Synchronization

/// A log of what happened, in order.
final class EventLog: Sendable {
    private let lines = Mutex<[String]>([])

    func record(_ line: String) { lines.withLock { $0.append(line) } }

    /// Returns the lines recorded since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// Suspends tasks until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The number of waiting tasks.
    var waiting: Int { state.withLock { $0.waiting.count } }

    func open() {
        let waiting = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the gate is open, even if the task is cancelled.
    func passIgnoringCancellation() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Waits until the gate is open. Throws if the task is cancelled.
    func pass() async throws {
        let isStopped = Mutex(false)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isOpen || isStopped.withLock({ $0 }) { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            // Resumes all waiting tasks. Those that aren't cancelled wait again.
            let waiting = state.withLock { state in
                isStopped.withLock { $0 = true }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
        try Task.checkCancellation()
        if !state.withLock({ $0.isOpen }) { try await pass() }
    }
}

/// Counts the ``CountedObject``s that exist.
final class LiveObjectCounter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func change(by amount: Int) { value.withLock { $0 += amount } }
}

/// An object that shows whether its owner was released.
final class CountedObject: Sendable {
    private let liveObjects: LiveObjectCounter
    init(_ liveObjects: LiveObjectCounter) {
        self.liveObjects = liveObjects
        liveObjects.change(by: 1)
    }
    deinit { liveObjects.change(by: -1) }
}
