import Synchronization

/// A pending call of a transport's `send`: created by the caller, and executed by the transport's thread.
///
/// It resumes its continuation exactly once, even if completion and cancellation happen at the same time.
final class SendTicket: Sendable {
    private typealias Continuation = CheckedContinuation<TransportResponse, any Error>

    private struct State {
        /// The continuation of a call that has not ended.
        var continuation: Continuation?
        var isRunning = false
        var hasEnded = false
    }

    let request: TransportRequest
    let target: RequestTarget
    let sink: any BodySink
    /// ``TransportRequest/decodesContent``, computed once.
    let decodesContent: Bool
    private let state = Mutex(State())

    init(
        _ request: TransportRequest, into sink: any BodySink, _ addresses: AddressPolicy = .all
    ) throws(TransportError) {
        target = try RequestTarget(request.url)
        try addresses.check(target, request.url)
        try request.validate()
        decodesContent = request.decodesContent
        self.request = request
        self.sink = sink
    }

    /// Waits for the result of the call.
    ///
    /// - Parameters:
    ///   - enqueue: Passes the ticket to the transport's thread.
    ///   - end: Asks that thread to end a transfer that it has begun.
    func send(
        enqueue: (SendTicket) -> Void, end: @Sendable (SendTicket) -> Void
    ) async throws -> TransportResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if wait(continuation) { enqueue(self) }
            }
        } onCancel: {
            if cancel() { end(self) }
        }
    }

    /// Marks the transfer as running; `false` if it was cancelled in the queue.
    func begin() -> Bool {
        state.withLock { state in
            state.isRunning = state.continuation != nil
            return state.isRunning
        }
    }

    func finish(_ result: Result<TransportResponse, any Error>) {
        let continuation = state.withLock { state in
            state.hasEnded = true
            return state.continuation.take()
        }
        continuation?.resume(with: result)
    }

    /// Stores the continuation; `false` if the task is already cancelled, so that nothing must be sent.
    private func wait(_ continuation: Continuation) -> Bool {
        let continues = state.withLock { state in
            if !state.hasEnded { state.continuation = continuation }
            return !state.hasEnded
        }
        if !continues { continuation.resume(throwing: CancellationError()) }
        return continues
    }

    /// Ends a queued call at once; `true` for a running one, which the transport's thread must end.
    private func cancel() -> Bool {
        let (waiting, isRunning) = state.withLock { state -> (Continuation?, Bool) in
            if state.isRunning { return (nil, true) }
            state.hasEnded = true
            return (state.continuation.take(), false)
        }
        waiting?.resume(throwing: CancellationError())
        return isRunning
    }
}
