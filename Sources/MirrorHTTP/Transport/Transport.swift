/// Moves the bytes of one exchange, and says what kind of failure it met.
///
/// A transport has no policy: it follows no redirect, repeats nothing that reached the server, knows no cache,
/// no cookie and no credential. All of that sits above it, in ``InterceptableSession``.
public protocol Transport: Sendable {
    /// Sends a request and hands the final response's head, then its body piece by piece, to `sink`.
    ///
    /// Informational (1xx) responses are skipped. A request that names no `Accept-Encoding` and no `Range` gets its body
    /// decoded to the end: `Content-Encoding` and `Content-Length` are then removed from the head, and a coding that is
    /// broken or was not asked for fails the transfer. Any other request gets the body as it was sent.
    /// Returns when the whole body was handed over. Cancelling the task ends the transfer at once.
    ///
    /// - Throws: ``TransportError``; or `CancellationError`; or what the sink threw, unchanged.
    func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse
}

/// Takes in the body of a response, piece by piece, on the transport's own thread.
///
/// Calls come one after another, never two at once. An error thrown here ends the transfer.
public protocol BodySink: AnyObject, Sendable {
    /// Called once, before any byte of the body.
    func begin(_ response: TransportResponse) throws
    /// Called for each piece; the buffer is valid only during the call.
    func receive(_ bytes: UnsafeRawBufferPointer) throws
    /// What is asked before each piece; `nil`, the default, if everything is always taken. The same each time.
    var pausing: (any PausableSink)? { get }
}

extension BodySink {
    public var pausing: (any PausableSink)? { nil }
}

/// One request as it goes on the wire.
public struct TransportRequest: Sendable {
    public var method: String
    /// Absolute and percent-encoded; sent exactly so (dot segments are not resolved).
    public var url: String
    public var headers: HeaderFields
    public var body: [UInt8]?
    public var limits: TransferLimits

    public init(
        method: String = "GET", url: String, headers: HeaderFields = [:], body: [UInt8]? = nil,
        limits: TransferLimits = TransferLimits()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.limits = limits
    }
}

/// How long a transfer may take and how large its body may be.
public struct TransferLimits: Sendable, Hashable {
    /// Until the connection (TLS included) stands. Default 10 s.
    public var connect: Duration
    /// Without a single byte either way. Default 30 s.
    public var idle: Duration
    /// From first to last. Default 5 min.
    public var whole: Duration
    /// Bytes of the decoded body; one more ends the transfer with ``TransportError/Code/bodyTooLarge``. Default 64 MiB.
    public var body: Int

    public init(
        connect: Duration = .seconds(10), idle: Duration = .seconds(30), whole: Duration = .seconds(300),
        body: Int = 64 << 20
    ) {
        self.connect = connect
        self.idle = idle
        self.whole = whole
        self.body = body
    }
}

/// The head of a final response.
public struct TransportResponse: Sendable {
    public var status: Int
    public var headers: HeaderFields
    /// Bytes received on the wire, head and body; complete only in what ``Transport/send(_:into:)`` returns.
    public var receivedBytes: Int

    public init(status: Int, headers: HeaderFields, receivedBytes: Int = 0) {
        self.status = status
        self.headers = headers
        self.receivedBytes = receivedBytes
    }
}
