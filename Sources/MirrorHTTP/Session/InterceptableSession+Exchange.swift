import Foundation
import Synchronization

/// Returns the sink to which the 2xx body of one attempt is streamed.
///
/// It is called before each attempt, and may edit the attempt's request, for example to add `Range`. `hasBegun` is true if the
/// sink of the attempt before received bytes.
typealias Destination =
    @Sendable (_ request: inout TransportRequest, _ hasBegun: Bool) throws -> any BodySink

/// The final response from one address, and when its attempt was sent, in seconds since 1970.
typealias Exchanged = (response: Response, requestTime: Double)

extension InterceptableSession {
    /// The request with the session's header fields, and its address before any redirect.
    ///
    /// - Throws: ``HTTPError`` with code `invalidAddress` or `invalidRequest`.
    func prepared(_ request: Request) throws -> (Request, WebAddress) {
        let problem: String
        var request = request
        let agent = configuration.userAgent
        if !request.headers.has("User-Agent") { request.headers.append("User-Agent", agent) }
        if request.body != nil, let type = request.contentType { request.headers["Content-Type"] = type }
        let address = try address(of: request.target)
        if address.origin != origin { Redirect.removeCredentials(&request.headers) }
        // Rules name the hosts that may be requested, so a redirect may lead to each of them.
        if rules != nil { request.mayLeaveOrigin = true }
        if !URLCharacters.isToken(request.method) {
            problem = "its method"
        } else if let line = request.headers.lines.first(where: { !$0.isValid }) {
            problem =
                URLCharacters.isToken(line.name)
                ? "its header field \(line.name)" : "the name of a header field"
        } else {
            return (request, address)
        }
        throw HTTPError(
            .invalidRequest,
            "The request for \(address.display) was not sent, because \(problem) isn't valid in HTTP.")
    }

    /// Sends a prepared request to one address through the interceptors, and repeats it as long as an interceptor demands that.
    ///
    /// - Parameters:
    ///   - destination: Returns the sink of each 2xx body; if `nil`, the body is stored in memory.
    ///   - skipped: The index of the interceptor that sends this request itself, such as a login; this interceptor isn't
    ///     called. `nil` for any other request.
    /// - Throws: ``HTTPError``, `CancellationError`, or an error of an interceptor or the destination.
    func exchange(
        _ request: Request, at address: WebAddress, into destination: Destination? = nil,
        skipping skipped: Int? = nil
    ) async throws -> Exchanged {
        let unedited = TransportRequest(
            method: request.method, url: address.text, headers: request.headers, body: request.body,
            limits: request.limits ?? configuration.limits)
        var attempt = Attempt(unedited, at: address, for: request, in: self, isNested: skipped != nil)
        var hasBegun = false
        while true {
            try Task.checkCancellation()
            attempt.request = unedited
            attempt.number += 1
            try sending.check()
            try await attempt.enter()
            let sink: AttemptSink, requestTime: Double, outcome: Outcome
            do {
                try sending.check()
                for index in interceptors.indices where index != skipped {
                    attempt.index = index
                    try await interceptors[index].willSend(&attempt)
                }
                attempt.send()
                sink = AttemptSink(
                    destination: try destination?(&attempt.request, hasBegun),
                    onHead: headObserver(attempt.place),
                    isContent: { [interceptors] head in
                        interceptors.allSatisfy { $0.isContent(head) }
                    })
                requestTime = configuration.clock.now().timeIntervalSince1970
                outcome = try await transfer(attempt.request, kind: request.kind, into: sink)
            } catch {
                attempt.leave(nil)
                throw error
            }
            attempt.leave(outcome)
            guard let wait = try await repetition(after: outcome, &attempt, skipping: skipped) else {
                switch outcome {
                case .success(let response): return (withoutKey(response), requestTime)
                case .failure(let error as TransportError):
                    throw HTTPError.from(withoutKey(error), at: address)
                case .failure(let error): throw error
                }
            }
            hasBegun = sink.hasBegun
            count { $0.retried += 1 }
            try await attempt.pause(for: wait)
        }
    }

    /// Reports the head of a response to the gate.
    private func headObserver(_ place: ConcurrencyGate.Place?) -> (@Sendable (TransportResponse) -> Void)? {
        guard let place else { return nil }
        return { [gate, clock = configuration.clock] response in
            gate.receivedHead(response, at: place, now: clock.elapsed())
        }
    }

    /// The wait before the request is repeated; `nil` if the outcome is final.
    private func repetition(
        after outcome: Outcome, _ attempt: inout Attempt, skipping skipped: Int?
    ) async throws -> Duration? {
        for index in interceptors.indices where index != skipped {
            attempt.index = index
            switch try await interceptors[index].didReceive(outcome, for: &attempt) {
            case .repeat(let wait) where attempt.admits(wait):
                attempt.repeats += 1
                return wait
            case .settle: return nil
            case .proceed, .repeat: continue
            }
        }
        return nil
    }

    /// Performs one transfer, and counts it in the statistics.
    ///
    /// - Throws: `CancellationError`. Any other failure is returned as an outcome.
    private func transfer(
        _ request: TransportRequest, kind: Request.Kind, into sink: AttemptSink
    ) async throws -> Outcome {
        count { $0.sent += 1 }
        do {
            let head = try await transport.send(request, into: sink)
            let state = sink.state
            // The transport counts the bytes on the wire. The sink counts them after decompression, so its number is only
            // used if the transport doesn't count.
            let bytes = head.receivedBytes > 0 ? head.receivedBytes : state.received
            count {
                $0.received(bytes, as: kind)
                if head.status == 304 { $0.notModified += 1 }
            }
            return .success(Response(head, body: state.body, receivedBytes: bytes))
        } catch {
            let state = sink.state
            count { $0.received(max(state.received, state.head?.receivedBytes ?? 0), as: kind) }
            if error is CancellationError { throw error }
            // The sink stopped the transfer on purpose, so the response is what it received.
            if state.isAbandoned, let head = state.head {
                return .success(Response(head, body: state.body, receivedBytes: state.received))
            }
            try Task.checkCancellation()
            return .failure(error)
        }
    }
}

extension HeaderFields.Line {
    /// Whether name and value are valid in HTTP (RFC 9110, section 5.5).
    var isValid: Bool {
        URLCharacters.isToken(name) && value.utf8.allSatisfy { $0 == 9 || $0 >= 0x20 && $0 != 0x7F }
    }
}

extension Response {
    fileprivate init(_ head: TransportResponse, body: [UInt8], receivedBytes: Int) {
        self.init(
            head: ResponseHead(status: head.status, headers: head.headers, receivedBytes: receivedBytes),
            body: body)
    }
}

/// Receives the response to one attempt.
///
/// - Without a destination, the body is stored in memory.
/// - With a destination, a 2xx body is passed to it, unless an interceptor says that it isn't content. Of any other body, at most ``errorBodyLimit`` bytes are stored in memory.
/// - The body of a 429 is never read.
final class AttemptSink: PausableSink {
    /// Stops a transfer whose body isn't needed.
    struct Abandoned: Error {}

    /// The maximum length of an error's body in bytes, if there is a destination.
    static let errorBodyLimit = 64 << 10

    struct State {
        var head: TransportResponse?
        var body: [UInt8] = []
        var received = 0
        var isAbandoned = false
        var isForDestination = false
    }

    private let current = Mutex(State())
    private let destination: (any BodySink)?
    private let onHead: (@Sendable (TransportResponse) -> Void)?
    private let isContent: @Sendable (TransportResponse) -> Bool

    init(
        destination: (any BodySink)?, onHead: (@Sendable (TransportResponse) -> Void)? = nil,
        isContent: @escaping @Sendable (TransportResponse) -> Bool = { _ in true }
    ) {
        self.destination = destination
        self.onHead = onHead
        self.isContent = isContent
    }

    var pausing: (any PausableSink)? { destination?.pausing == nil ? nil : self }

    func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool {
        let isForDestination = current.withLock { $0.isForDestination }
        guard isForDestination, let pausing = destination?.pausing else { return true }
        return pausing.canReceive(orCall: resume)
    }

    /// The part of the response that was received so far.
    var state: State { current.withLock { $0 } }

    /// Whether the destination received bytes.
    var hasBegun: Bool { current.withLock { $0.isForDestination && $0.received > 0 } }

    func begin(_ response: TransportResponse) throws {
        onHead?(response)
        let forDestination =
            destination != nil && (200..<300).contains(response.status) && isContent(response)
        try current.withLock { state in
            state.head = response
            state.isForDestination = forDestination
            if response.status == 429 {
                state.isAbandoned = true
                throw Abandoned()
            }
            if !forDestination, let length = Int(response.headers.firstValue(of: "Content-Length") ?? "") {
                state.body.reserveCapacity(min(max(length, 0), 1 << 20))
            }
        }
        if forDestination { try destination?.begin(response) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        let forDestination = try current.withLock { state in
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
