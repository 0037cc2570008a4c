/// A policy of a session, which may edit a request before it is sent, and repeat it afterwards.
///
/// A session has an ordered list of interceptors. An app may reorder it, omit some, or add its own. Before each attempt
/// ``willSend(_:)`` is called in order. After it, ``didReceive(_:for:)`` is called in the same order until one of them returns
/// another decision than ``Decision/proceed``. Later interceptors don't see that outcome, so a logging interceptor must be the
/// first.
public protocol Interceptor: Sendable {
    /// May edit the attempt's request, and may wait with ``Attempt/pause(for:because:wanted:)``. Default: does nothing.
    func willSend(_ attempt: inout Attempt) async throws
    /// Decides what to do with the outcome of an attempt. Default: ``Decision/proceed``.
    func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision
    /// Whether a response is content, by its head. If not, its body isn't passed to the file or reader that waits for it.
    /// Called on the transport's thread. Default: `true`.
    func isContent(_ response: TransportResponse) -> Bool
}

extension Interceptor {
    /// Does nothing.
    public func willSend(_ attempt: inout Attempt) async throws {}
    /// Returns ``Decision/proceed``.
    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        .proceed
    }
    /// Returns `true`.
    public func isContent(_ response: TransportResponse) -> Bool { true }
}

/// The outcome of an attempt: a response, a ``TransportError``, or an error of the sink.
///
/// The response's body is empty if it was streamed to a sink or not read (429). The error is never `CancellationError`, which
/// ends the request at once.
public typealias Outcome = Result<Response, any Error>

/// What to do with the outcome of an attempt.
public enum Decision: Sendable, Hashable {
    /// Call the next interceptor; after the last one, the outcome is final.
    case proceed
    /// Repeat the request after a wait.
    case `repeat`(after: Duration)
    /// The outcome is final; no further interceptor is called.
    case settle
}

/// One attempt at sending a request, as interceptors see it.
public struct Attempt: Sendable {
    /// The request to send. Each attempt starts from the unedited request.
    public var request: TransportRequest
    /// The address of the unedited request.
    let address: WebAddress
    /// Whether the request may be sent twice without further effect.
    public let isIdempotent: Bool
    /// Whether the request may be delayed and repeated; see ``Request/mayWait``.
    public let mayWait: Bool
    /// Whether an answer may mean that the service has ended; see ``Request/mayEndService``.
    public let mayEndService: Bool
    /// Whether an interceptor sends this request, with ``sendNested(_:)``.
    public let isNested: Bool
    /// The number of the attempt; 1 for the first.
    public internal(set) var number = 0
    /// The time that this request may still wait; ``SessionConfiguration/longestWait`` at first.
    public private(set) var remainingWait: Duration
    /// The index of the interceptor that is called.
    var index = 0
    /// The request's place among those in flight to its host; `nil` if it needs none, or has given it back.
    private(set) var place: ConcurrencyGate.Place?
    private let kind: Request.Kind
    /// Values stored for each interceptor.
    private var notes: [(repeats: Int, memory: Int)]
    let session: InterceptableSession

    init(
        _ unedited: TransportRequest, at address: WebAddress, for request: Request,
        in session: InterceptableSession, isNested: Bool
    ) {
        self.request = unedited
        self.address = address
        self.session = session
        self.isNested = isNested
        isIdempotent = request.isIdempotent
        kind = request.kind
        mayWait = request.mayWait
        mayEndService = request.mayEndService
        remainingWait = request.mayWait ? session.configuration.longestWait : .zero
        notes = session.interceptors.map { _ in (0, 0) }
    }

    /// The number of repetitions that the called interceptor has requested.
    public internal(set) var repeats: Int {
        get { notes[index].repeats }
        set { notes[index].repeats = newValue }
    }

    /// A number that is stored for the called interceptor between the attempts of one request. 0 at first.
    public var memory: Int {
        get { notes[index].memory }
        set { notes[index].memory = newValue }
    }

    /// Scheme, host and port of the unedited request.
    public var origin: Origin { address.origin }
    /// Whether the request is sent to the session's own origin. Credentials must not be sent to another one.
    public var isToOrigin: Bool { currentAddress?.origin == session.origin }
    /// The session's clock.
    public var clock: SessionClock { session.configuration.clock }
    /// The session's source of randomness, uniform in `0..<1`.
    public var random: @Sendable () -> Double { session.configuration.random }

    /// The address of the request, including edits.
    var currentAddress: WebAddress? {
        request.url == address.text ? address : WebAddress(request.url)
    }

    /// Whether the limits of the request and of the session allow a wait.
    func admits(_ duration: Duration) -> Bool {
        duration <= remainingWait && session.waitLeft.map { duration <= $0 } ?? true
    }

    /// Waits. The time counts towards the limits of the request and of the session.
    ///
    /// - Parameters:
    ///   - duration: The time to wait; returns at once if it isn't positive.
    ///   - reason: The reason. Default: back-off.
    ///   - wanted: The wait that the server requested, which may be longer than `duration`; `nil`, the default, if it
    ///     requested none. Used in the error.
    /// - Throws: `CancellationError` as soon as the task is cancelled; ``HTTPError`` with code `tooManyRequests`, without
    ///   waiting, if a limit doesn't allow the wait.
    public mutating func pause(
        for duration: Duration, because reason: WaitReason = .backOff, wanted: Duration? = nil
    ) async throws {
        guard duration > .zero else { return }
        func refusal(_ limit: String, _ remedy: String) -> HTTPError {
            HTTPError(
                .tooManyRequests, "\(demand(duration, reason, wanted)) longer than \(limit). \(remedy)",
                retryAfter: wanted)
        }
        guard duration <= remainingWait else { throw refusal("a request may wait", "Try again later.") }
        remainingWait -= duration
        // A paced request keeps its place, because its slot has a fixed time.
        let givesPlaceBack = place != nil && reason != .pacing
        if givesPlaceBack { leave(nil) }
        guard try await session.wait(duration, reason) else {
            throw refusal("this run may wait", "Try again later, or allow a longer wait with --max-wait.")
        }
        if givesPlaceBack { try await enter() }
    }

    /// Whether nothing is sent to a host before the time of its `Retry-After`: the session obeys rules.
    var keepsRetryAfter: Bool { session.rules != nil }

    /// Whether the session's limit allows a wait that the host requested; the request's own limit, if the session has none.
    func admitsHold(_ duration: Duration) -> Bool {
        mayWait && duration <= session.waitLeft ?? remainingWait
    }

    /// Waits as the host requested. The time counts towards the limit of the session only.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; ``HTTPError`` with code `waitTooLong`, without waiting, if the
    ///   limit doesn't allow the wait.
    mutating func hold(for duration: Duration, because reason: WaitReason) async throws {
        let givesPlaceBack = place != nil
        if givesPlaceBack { leave(nil) }
        guard admitsHold(duration), try await session.wait(duration, reason) else {
            throw waitTooLong(duration)
        }
        if givesPlaceBack { try await enter() }
    }

    /// The error of a request to a host that requests a longer wait than the limit allows.
    func waitTooLong(_ duration: Duration) -> HTTPError {
        let (limit, remedy) =
            session.waitLeft == nil
            ? ("a request may wait", "Try again later.")
            : ("this run may wait", "Try again later, or allow a longer wait with --max-wait.")
        return HTTPError(
            .waitTooLong,
            "\(origin.display) requests a wait of \(duration.wholeSeconds) s, which is longer than \(limit). \(remedy)",
            retryAfter: duration)
    }

    /// Waits for a place among the requests in flight. A request that must not wait is sent at once, and so is a nested one,
    /// because other requests may wait for it in their places.
    mutating func enter() async throws {
        guard mayWait, !isNested else { return }
        place = try await session.gate.enter(origin, for: kind)
    }

    /// Records that the request is sent.
    mutating func send() {
        guard var place else { return }
        session.gate.send(&place, now: clock.elapsed())
        self.place = place
    }

    /// Gives the place back, if there is one.
    ///
    /// - Parameter outcome: the outcome of the attempt; `nil` if it has none.
    mutating func leave(_ outcome: Outcome?) {
        guard let place else { return }
        var failure = outcome.flatMap(ConcurrencyLimit.Failure.init)
        // One address that always fails must not halve the number at each attempt. A server with too much to do refuses other
        // requests, too.
        if number > 1, failure != .connectionLost { failure = nil }
        session.gate.leave(place, failure, now: clock.elapsed())
        self.place = nil
    }

    /// The start of the message about a too long wait. A time is only attributed to the server if the server sent one.
    private func demand(_ duration: Duration, _ reason: WaitReason, _ wanted: Duration?) -> String {
        let host = origin.display
        if let wanted { return "\(host) requests a wait of \(wanted.wholeSeconds) s, which is" }
        return reason == .throttling
            ? "\(host) refused requests, because there were too many (429), and the next one would have to wait"
            : "The next request to \(host) would have to wait for \(duration.wholeSeconds) s, which is"
    }

    /// Sends another request, such as a login, through all interceptors except the called one.
    ///
    /// The cache isn't used, and redirects aren't followed. If this attempt's request must not wait, the other one doesn't wait
    /// either.
    ///
    /// - Returns: The response, with any status.
    /// - Throws: ``HTTPError``. Its code is `invalidRequest` if ``isNested`` is true, because two interceptors could otherwise
    ///   wait for each other.
    public func sendNested(_ request: Request) async throws -> Response {
        if isNested {
            throw HTTPError(.invalidRequest, "An interceptor's request can't send another request.")
        }
        var request = request
        request.mayWait = request.mayWait && mayWait
        let (prepared, address) = try session.prepared(request)
        try await session.checkAddress(address)
        return try await session.exchange(prepared, at: address, skipping: index).response
    }
}

extension Duration {
    /// The duration in seconds, rounded up, for messages.
    var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
