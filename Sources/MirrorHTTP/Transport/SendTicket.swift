import Synchronization

/// One call of `send` on its way through a transport: made by the caller, carried out by the transport's thread.
///
/// Decides the race between completion and cancellation: its continuation is resumed exactly once.
final class SendTicket: Sendable {
    private typealias Continuation = CheckedContinuation<TransportResponse, any Error>

    private struct State {
        /// Of a call that is not over.
        var continuation: Continuation?
        var isRunning = false
        var isOver = false
    }

    let request: TransportRequest
    let target: RequestTarget
    let sink: any BodySink
    /// ``TransportRequest/decodesContent``, looked up once.
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

    /// Waits for the end of the call.
    ///
    /// - Parameters:
    ///   - enqueue: hands the ticket to the transport's thread.
    ///   - end: has that thread end the transfer, which it has begun.
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

    /// Whether the transfer is to begin: `false` if it was cancelled while it waited.
    func begin() -> Bool {
        state.withLock { state in
            state.isRunning = state.continuation != nil
            return state.isRunning
        }
    }

    func finish(_ result: Result<TransportResponse, any Error>) {
        let continuation = state.withLock { state in
            state.isOver = true
            return state.continuation.take()
        }
        continuation?.resume(with: result)
    }

    /// Keeps the continuation; `false` if the task was cancelled already, and nothing is to be sent.
    private func wait(_ continuation: Continuation) -> Bool {
        let goesOn = state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return !state.isOver
        }
        if !goesOn { continuation.resume(throwing: CancellationError()) }
        return goesOn
    }

    /// Ends a waiting call on the spot; `true` for one that the transport's thread must end.
    private func cancel() -> Bool {
        let (waiting, isRunning) = state.withLock { state -> (Continuation?, Bool) in
            if state.isRunning { return (nil, true) }
            state.isOver = true
            return (state.continuation.take(), false)
        }
        waiting?.resume(throwing: CancellationError())
        return isRunning
    }
}
