import Synchronization

/// Where the bytes of an answer go; asked again for every attempt, as a broken one may have got somewhere.
protocol BodyDestination: Sendable {
    /// Prepares one attempt: may add `Range` and the like, and gives what takes the body of a 2xx answer.
    func prepare(_ request: inout TransportRequest) throws -> any BodySink
}

/// Takes one attempt's answer: what is wanted goes where it belongs, an error's body is kept short, and that of a
/// 429 isn't read at all.
final class AttemptSink: PausableSink {
    /// Ends a transfer whose body isn't wanted.
    struct Abandoned: Error {}

    /// Of an error's body, no more than this is read where the body was meant for a file.
    static let errorBodyLimit = 64 << 10

    struct State {
        var head: TransportResponse?
        var body: [UInt8] = []
        var received = 0
        var isAbandoned = false
        var isForDestination = false
    }

    private let state = Mutex(State())
    private let destination: (any BodySink)?

    init(destination: (any BodySink)?) { self.destination = destination }

    var pausing: (any PausableSink)? { destination?.pausing == nil ? nil : self }

    func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool {
        guard let pausing = destination?.pausing, state.withLock({ $0.isForDestination }) else {
            return true
        }
        return pausing.canReceive(orCall: resume)
    }

    /// What has come so far.
    func take() -> State { state.withLock { $0 } }

    func begin(_ response: TransportResponse) throws {
        let forDestination = destination != nil && (200..<300).contains(response.status)
        try state.withLock { state in
            state.head = response
            state.isForDestination = forDestination
            if response.status == 429 {
                state.isAbandoned = true
                throw Abandoned()
            }
            if !forDestination,
                let length = response.headers.firstValue(of: "Content-Length").flatMap({ Int($0) })
            {
                state.body.reserveCapacity(min(max(length, 0), 1 << 20))
            }
        }
        if forDestination { try destination?.begin(response) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        let forDestination = try state.withLock { state in
            state.received += bytes.count
            if state.isForDestination { return true }
            if destination != nil, state.body.count + bytes.count > Self.errorBodyLimit {
                state.isAbandoned = true
                throw Abandoned()
            }
            state.body.append(contentsOf: bytes)
            return false
        }
        if forDestination { try destination?.receive(bytes) }
    }
}
