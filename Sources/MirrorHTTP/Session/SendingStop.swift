import Synchronization

/// Ends the sending of requests for good. Those that were sent are answered; all others fail at once, with the same error.
final class SendingStop: Sendable {
    private struct State {
        var error: HTTPError?
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// Why no further requests are sent; `nil` if they are.
    var error: HTTPError? { state.withLock { $0.error } }

    /// Ends the sending. Only the first call has an effect.
    func stop(_ error: HTTPError) {
        let waiting = state.withLock { state in
            state.error = state.error ?? error
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// - Throws: the error, if no further requests are sent.
    func check() throws {
        if let error { throw error }
    }

    /// Performs a wait before a request. It ends with the error as soon as no further requests are sent.
    func interrupting(_ wait: @escaping @Sendable () async throws -> Void) async throws {
        try check()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await wait() }
            group.addTask {
                await self.waitForStop()
                try Task.checkCancellation()
                try self.check()
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    /// Returns when sending ends, or when the task is cancelled.
    private func waitForStop() async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.error != nil || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}

extension InterceptableSession {
    /// Sends no further requests to any host. Requests that wait fail at once with an error, and so do later ones; those that were
    /// sent are answered. Only the first call has an effect.
    ///
    /// Only for a session that obeys rules (``obeying(_:)``): the waits of others are not interrupted.
    package func stopSending(_ error: HTTPError) { sending.stop(error) }

    /// The error of ``stopSending(_:)``; `nil` if requests are sent.
    package var stopReason: HTTPError? { sending.error }
}
