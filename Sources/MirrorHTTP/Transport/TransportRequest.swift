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

extension TransportRequest {
    /// Refuses what would not arrive as it was meant: a method or field name that is no token (RFC 9110,
    /// section 5.6.2), a line break within a field value.
    func validate() throws(TransportError) {
        guard URLCharacters.isToken(method) else {
            throw TransportError(refused: "The request's method is no HTTP token")
        }
        for line in headers.lines {
            guard URLCharacters.isToken(line.name) else {
                throw TransportError(refused: "The name of a header field is no HTTP token")
            }
            guard !line.value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
                throw TransportError(refused: "The header field \(line.name) holds a line break; trim it")
            }
        }
    }

    /// Whether the transport negotiates the content coding, and decodes it. Bytes of a range are bytes of the coded form, so
    /// none may be negotiated for them.
    var decodesContent: Bool { !headers.has("Accept-Encoding") && !headers.has("Range") }

    /// Whether sending it twice does the same as sending it once (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }
}

extension HeaderFields.Line {
    /// Whether it says where a body ends, or has the other side wait for it: the transport's own business, and nothing waits
    /// for "100 Continue".
    var isFraming: Bool {
        ["Expect", "Content-Length", "Transfer-Encoding"].contains { HeaderFields.same(name, $0) }
    }
}

/// How long a transfer may take and how large its body may be.
public struct TransferLimits: Sendable, Hashable {
    /// Until the connection (TLS included) is established. Default 10 s.
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
