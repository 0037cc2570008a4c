/// A request as a transport sends it.
public struct TransportRequest: Sendable {
    /// The HTTP method. Default `GET`.
    public var method: String
    /// The absolute, percent-encoded URL. It is sent unchanged; dot segments are not resolved.
    public var url: String
    /// The header fields. Default: none.
    public var headers: HeaderFields
    /// The body. Default: none.
    public var body: [UInt8]?
    /// The limits of time and size.
    public var limits: TransferLimits

    /// Creates a request.
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

extension TransportRequest {
    /// Throws if a method or field name isn't a token (RFC 9110, section 5.6.2), or a field value contains a line break or NUL.
    func validate() throws(TransportError) {
        guard URLCharacters.isToken(method) else {
            throw TransportError(refused: "The request's method is not a valid HTTP token")
        }
        for line in headers.lines {
            guard URLCharacters.isToken(line.name) else {
                throw TransportError(refused: "The name of a header field is not a valid HTTP token")
            }
            guard !line.value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
                throw TransportError(
                    refused: "The header field \(line.name) contains a line break; remove it")
            }
        }
    }

    /// Whether the transport negotiates a content coding and decodes the body.
    ///
    /// It doesn't for ranges, because they refer to bytes of the encoded representation.
    var decodesContent: Bool { !headers.has("Accept-Encoding") && !headers.has("Range") }

    /// Whether the request may be sent twice without further effect (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }
}

extension HeaderFields.Line {
    /// Whether the transport sets this field itself: body framing, and `Expect`, as "100 Continue" isn't used.
    var isFraming: Bool {
        ["Expect", "Content-Length", "Transfer-Encoding"].contains { HeaderFields.same(name, $0) }
    }
}

/// The limits of a transfer in time and size.
public struct TransferLimits: Sendable, Hashable {
    /// The time until the connection is established, including TLS. Default 10 s.
    public var connect: Duration
    /// The time without a sent or received byte. Default 30 s.
    public var idle: Duration
    /// The time of the complete transfer. Default 5 min.
    public var whole: Duration
    /// The size of the decoded body in bytes. A larger one fails with ``TransportError/Code/bodyTooLarge``. Default 64 MiB.
    public var body: Int

    /// Creates limits.
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
