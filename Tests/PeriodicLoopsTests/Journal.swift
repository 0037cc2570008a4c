import Synchronization

/// What happened, in order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// What was noted since this was asked last.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// Lets nobody pass until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    func open() {
        let waiting = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits whatever happens, cancelled or not.
    func passStubbornly() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Waits until its task is cancelled, too, and throws then.
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
            // All leave; those that were not cancelled come back.
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

/// Counts objects that live.
final class Census: Sendable {
    private let count = Mutex(0)
    var living: Int { count.withLock { $0 } }
    func change(by amount: Int) { count.withLock { $0 += amount } }
}

/// Lives as long as what holds it.
final class Resident: Sendable {
    private let census: Census
    init(_ census: Census) {
        self.census = census
        census.change(by: 1)
    }
    deinit { census.change(by: -1) }
}
