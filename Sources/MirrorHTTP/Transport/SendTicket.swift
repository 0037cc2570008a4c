import Synchronization

/// One call of `send` on its way through a transport: made by the caller, carried out by the transport's thread.
///
/// Decides the race between completion and cancellation: its continuation is resumed exactly once.
final class SendTicket: Sendable {
    private typealias Continuation = CheckedContinuation<TransportResponse, any Error>

    private enum Phase: Sendable {
        case new
        case waiting(Continuation)
        case running(Continuation)
        case over
    }

    let request: TransportRequest
    let target: RequestTarget
    let sink: any BodySink
    /// ``TransportRequest/decodesContent``, looked up once.
    let decodesContent: Bool
    private let phase = Mutex(Phase.new)

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
        phase.withLock { phase in
            guard case .waiting(let continuation) = phase else { return false }
            phase = .running(continuation)
            return true
        }
    }

    func finish(_ result: Result<TransportResponse, any Error>) {
        let continuation = phase.withLock { phase -> Continuation? in
            defer { phase = .over }
            switch phase {
            case .waiting(let continuation), .running(let continuation): return continuation
            case .new, .over: return nil
            }
        }
        continuation?.resume(with: result)
    }

    /// Keeps the continuation; `false` if the task was cancelled already, and nothing is to be sent.
    private func wait(_ continuation: Continuation) -> Bool {
        let goesOn = phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .waiting(continuation)
            return true
        }
        if !goesOn { continuation.resume(throwing: CancellationError()) }
        return goesOn
    }

    /// Ends a waiting call on the spot; `true` for one that the transport's thread must end.
    private func cancel() -> Bool {
        let (waiting, isRunning) = phase.withLock { phase -> (Continuation?, Bool) in
            if case .running = phase { return (nil, true) }
            defer { phase = .over }
            if case .waiting(let continuation) = phase { return (continuation, false) }
            return (nil, false)
        }
        waiting?.resume(throwing: CancellationError())
        return isRunning
    }
}
