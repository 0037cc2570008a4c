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
    /// Returns when all of the body was handed over. Cancelling the task ends the transfer at once.
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

/// A sink that can ask its transfer to wait, instead of blocking the thread that all transfers share.
///
/// The wait spreads to the server through TCP's (or HTTP/2's) flow control, and doesn't count as idling.
/// ``CurlTransport`` honours it; ``URLSessionTransport`` waits by blocking its delegate queue.
public protocol PausableSink: BodySink {
    /// Asked before each piece: whether the sink can take it now.
    ///
    /// After answering `false` the sink must call `resume` once it can go on; from any thread, more than once
    /// does no harm. The same piece is then offered again.
    func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool
}

extension PausableSink {
    public var pausing: (any PausableSink)? { self }
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

extension TransportResponse {
    /// The announced length of the body, if the head names one and the method and status have a body. One that is beyond
    /// all numbers is the largest.
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
