import Synchronization

/// One call of `send` on its way through a transport: made by the caller, carried out by the transport's thread.
///
/// Decides the race between completion and cancellation: its continuation is resumed exactly once.
final class SendTicket: Sendable {
    typealias Continuation = CheckedContinuation<TransportResponse, any Error>

    /// What a cancellation asks of the transport's thread.
    enum Cancellation { case nothing, endTransfer }

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

    /// Keeps the continuation; `false` if the task was cancelled already, and nothing is to be sent.
    func wait(_ continuation: Continuation) -> Bool {
        let goesOn = phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .waiting(continuation)
            return true
        }
        if !goesOn { continuation.resume(throwing: CancellationError()) }
        return goesOn
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
        take()?.resume(with: result)
    }

    /// Ends a waiting call on the spot; a running one must be ended by the thread that runs it.
    func cancel() -> Cancellation {
        let (continuation, answer): (Continuation?, Cancellation) = phase.withLock { phase in
            switch phase {
            case .new:
                phase = .over
                return (nil, .nothing)
            case .waiting(let continuation):
                phase = .over
                return (continuation, .nothing)
            case .running: return (nil, .endTransfer)
            case .over: return (nil, .nothing)
            }
        }
        continuation?.resume(throwing: CancellationError())
        return answer
    }

    private func take() -> Continuation? {
        phase.withLock { phase in
            defer { phase = .over }
            switch phase {
            case .waiting(let continuation), .running(let continuation): return continuation
            case .new, .over: return nil
            }
        }
    }
}
