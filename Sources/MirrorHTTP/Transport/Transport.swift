/// Sends a request and receives its response, and classifies failures.
///
/// A transport has no policy: it follows no redirects, repeats no request that reached the server, and has no cache, cookies
/// or credentials. ``InterceptableSession`` adds all of these.
public protocol Transport: Sendable {
    /// Sends a request, and passes the head of the final response and then its body, piece by piece, to `sink`.
    ///
    /// - Informational (1xx) responses are skipped.
    /// - If the request has neither `Accept-Encoding` nor `Range`, the body is decoded, and `Content-Encoding` and
    ///   `Content-Length` are removed from the head. A damaged or unrequested content coding fails the transfer.
    /// - Otherwise the body is passed on as it was sent.
    ///
    /// Returns when the sink has received the complete body. Cancelling the task ends the transfer at once.
    ///
    /// - Throws: ``TransportError``, `CancellationError`, or the sink's error, unchanged.
    func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse
}

/// Receives the body of a response, piece by piece, on the transport's thread.
///
/// Its methods are never called concurrently. An error that it throws ends the transfer.
public protocol BodySink: AnyObject, Sendable {
    /// Called once, before any byte of the body.
    func begin(_ response: TransportResponse) throws
    /// Called for each piece; the buffer is valid only during the call.
    func receive(_ bytes: UnsafeRawBufferPointer) throws
    /// The sink that may pause the transfer; `nil`, the default, if it never pauses. Must always return the same value.
    var pausing: (any PausableSink)? { get }
}

extension BodySink {
    /// `nil`: the sink never pauses.
    public var pausing: (any PausableSink)? { nil }
}

/// A sink that can pause its transfer (backpressure), instead of blocking the thread that all transfers share.
///
/// The pause reaches the server by the flow control of TCP or HTTP/2, and doesn't count as idle time. ``CurlTransport``
/// supports it. ``URLSessionTransport`` ignores it, so a slow sink blocks its delegate queue.
public protocol PausableSink: BodySink {
    /// Called before each piece: whether the sink can receive it now.
    ///
    /// After returning `false`, the sink must call `resume` when it can continue. `resume` may be called on any thread and
    /// several times. The same piece is then passed again.
    func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool
}

extension PausableSink {
    /// The sink itself.
    public var pausing: (any PausableSink)? { self }
}

/// The protocol of a response, as far as it matters for concurrency.
public enum HTTPVersion: Sendable, Hashable {
    /// One request at a time on a connection.
    case http1
    /// Many requests at the same time on one connection.
    case http2
}

/// The head of a final response.
public struct TransportResponse: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The header fields.
    public var headers: HeaderFields
    /// The protocol; `nil` if the transport doesn't report it.
    public var version: HTTPVersion?
    /// A number that is the same for responses on the same connection to a host; `nil` if the transport doesn't report it.
    public var connection: Int?
    /// The bytes received over the network, head and body. Only complete in the result of ``Transport/send(_:into:)``.
    public var receivedBytes: Int

    /// Creates a head.
    public init(
        status: Int, headers: HeaderFields, version: HTTPVersion? = nil, connection: Int? = nil,
        receivedBytes: Int = 0
    ) {
        self.status = status
        self.headers = headers
        self.version = version
        self.connection = connection
        self.receivedBytes = receivedBytes
    }
}

extension TransportResponse {
    /// The body's `Content-Length`; `nil` without a valid one, or if the method or status has no body.
    ///
    /// A number that doesn't fit in an `Int` gives `Int.max`.
    func announcedLength(method: String) -> Int? {
        guard method != "HEAD", status != 304, status != 204, let text = headers["Content-Length"] else {
            return nil
        }
        if let length = Int(text) { return length }
        return text.utf8.count > 18 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? .max : nil
    }

    /// Whether a body may follow this head.
    func mayHaveBody(method: String) -> Bool {
        method != "HEAD" && status != 204 && status != 304 && announcedLength(method: method) != 0
    }
}
