/// A policy of a session: may edit a request before it is sent, and sees its outcome.
///
/// A session has an ordered list of them; an app can reorder it, leave some out, or add its own. Before each attempt
/// ``willSend(_:)`` is called in order; after it ``didReceive(_:for:)`` in the same order, until one asks for a
/// repetition. The ones behind that one don't see that outcome, so observers (logging) stand first.
public protocol Interceptor: Sendable {
    /// May edit the attempt's request, and may wait with ``Attempt/pause(for:)``. Default: nothing.
    func willSend(_ attempt: inout Attempt) async throws
    /// Judges what one attempt brought. Default: ``Decision/proceed``.
    func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision
}

extension Interceptor {
    public func willSend(_ attempt: inout Attempt) async throws {}
    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        .proceed
    }
}

/// What one attempt brought: a response, its body empty where it was streamed elsewhere or abandoned (429); or
/// ``TransportError``, or what writing a file threw. Never `CancellationError`: that ends the request at once.
public typealias Outcome = Result<Response, any Error>

/// What an interceptor wants done about an outcome.
public enum Decision: Sendable, Hashable {
    /// Let the next interceptor judge; after the last, the outcome is the request's.
    case proceed
    /// Send the request again after that wait.
    case `repeat`(after: Duration)
    /// The outcome is the request's: no interceptor behind this one is asked.
    case settle
}

/// One attempt at sending a request, as interceptors see it.
public struct Attempt: Sendable {
    /// What will be sent; each attempt starts again from the unedited request.
    public var request: TransportRequest
    /// Where it goes, unless an interceptor has edited that.
    let address: WebAddress
    public let isIdempotent: Bool
    /// Whether it may be held back, and repeated, at all: see ``Request/mayWait``.
    public let mayWait: Bool
    /// Whether it is itself sent on an interceptor's behalf, by ``sendAside(_:)``.
    public let isAside: Bool
    /// 1 for the first.
    public internal(set) var number = 0
    /// How much of ``SessionConfiguration/longestWait`` is left to this request.
    public private(set) var patience: Duration
    /// Which interceptor is called.
    var index = 0
    /// Kept for each interceptor.
    private var notes: [(repeats: Int, memory: Int)]
    let session: InterceptableSession

    init(
        _ unedited: TransportRequest, at address: WebAddress, for request: Request,
        in session: InterceptableSession, isAside: Bool
    ) {
        self.request = unedited
        self.address = address
        self.session = session
        self.isAside = isAside
        isIdempotent = request.isIdempotent
        mayWait = request.mayWait
        patience = request.mayWait ? session.configuration.longestWait : .zero
        notes = session.interceptors.map { _ in (0, 0) }
    }

    /// How often the called interceptor has had this request repeated.
    public internal(set) var repeats: Int {
        get { notes[index].repeats }
        set { notes[index].repeats = newValue }
    }

    /// A number that is kept for the called interceptor between the attempts of one request.
    public var memory: Int {
        get { notes[index].memory }
        set { notes[index].memory = newValue }
    }

    /// Scheme, host and port that it goes to.
    public var origin: Origin { address.origin }
    /// Whether it goes to the session's own origin: scheme, host and port. Credentials go nowhere else.
    public var isToOrigin: Bool { currentAddress?.origin == session.origin }
    public var clock: SessionClock { session.configuration.clock }
    public var random: @Sendable () -> Double { session.configuration.random }

    /// Where it goes, edited or not.
    var currentAddress: WebAddress? {
        request.url == address.text ? address : WebAddress(request.url)
    }

    /// Whether a wait fits into what is left of the request's patience, and of what the session may wait.
    func admits(_ duration: Duration) -> Bool {
        duration <= patience && session.waitLeft.map { duration <= $0 } ?? true
    }

    /// Waits; the time counts towards the limits of the request and of the session.
    ///
    /// - Parameter wanted: the wait that the server named, which may be a longer one; `nil`, the default, if it named none.
    /// - Throws: `CancellationError` at once when the task is cancelled; ``HTTPError`` with code `tooManyRequests`, without
    ///   waiting, if the request's limit or the session's doesn't suffice.
    public mutating func pause(
        for duration: Duration, because reason: WaitReason = .backOff, wanted: Duration? = nil
    ) async throws {
        guard duration > .zero else { return }
        func refusal(_ limit: String, _ remedy: String) -> HTTPError {
            HTTPError(
                .tooManyRequests, "\(demand(duration, reason, wanted)) longer than \(limit). \(remedy)",
                retryAfter: wanted)
        }
        guard duration <= patience else { throw refusal("a request may wait", "Try later.") }
        patience -= duration
        guard try await session.wait(duration, reason) else {
            throw refusal("is allowed here", "Try later, or allow a longer wait.")
        }
    }

    /// The reason of a wait, for a message. A time is only given as the server's wish if the server named it.
    private func demand(_ duration: Duration, _ reason: WaitReason, _ wanted: Duration?) -> String {
        let host = origin.display
        if let wanted { return "\(host) wants a wait of \(wanted.wholeSeconds) s," }
        return reason == .throttling
            ? "\(host) asks to slow down (429), and the next request would have to wait"
            : "The next request to \(host) would have to wait for \(duration.wholeSeconds) s,"
    }

    /// Sends another request through all interceptors but the called one: a login, for example.
    ///
    /// The cache takes no part and no redirect is followed. It waits no longer than this attempt's
    /// request may.
    ///
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``HTTPError``; with code `invalidRequest` for an attempt that ``isAside``, as two interceptors could wait for
    ///   each other.
    public func sendAside(_ request: Request) async throws -> Response {
        if isAside { throw HTTPError(.invalidRequest, "A request that is sent aside can send no other.") }
        var request = request
        request.mayWait = request.mayWait && mayWait
        let (prepared, address) = try session.prepared(request)
        return try await session.exchange(prepared, at: address, skipping: index).response
    }
}

extension Duration {
    /// Rounded up, for a person.
    var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
