/// A request of a caller: what to send, and how the cache may be used.
///
/// The session adds the origin's address, credentials, conditional headers and limits.
public struct Request: Sendable, Hashable {
    /// The address of a request.
    public enum Target: Sendable, Hashable {
        /// Appended to the origin's base: `""`, or text that begins with `/`, percent-encoded, with query items sorted by name.
        case relative(String)
        /// Appended to the base without its `/api/v1`, such as `/_session` and `/status`; begins with `/`.
        case beside(String)
        /// A complete `http` or `https` URL. On another host than the origin's it gets no credentials.
        case absolute(String)
    }

    /// How the cache is used.
    public enum CacheUse: Sendable, Hashable {
        /// A fresh entry answers without a request; a stale one is validated.
        case use
        /// An entry answers only after the origin has confirmed it (RFC 9111, section 5.2.1.4). The response is stored.
        case noCache
        /// No entry answers: the request is unconditional, and asks intermediate caches to forward it to the origin
        /// (RFC 9111, section 5.2.1.4). The response is stored.
        case reload
        /// The cache is neither read nor written.
        case bypass
    }

    /// How received bytes are counted in ``SessionStatistics``.
    public enum Kind: Sendable, Hashable {
        /// JSON.
        case json
        /// Pictures and documents.
        case media
    }

    /// The HTTP method. Default `GET`.
    public var method: String
    /// The address.
    public var target: Target
    /// Additional header fields. Default: none.
    public var headers: HeaderFields
    /// The body. Default: none.
    public var body: [UInt8]?
    /// Sent as `Content-Type` if there is a body. Default: none.
    public var contentType: String?
    /// Whether the request may be sent twice without further effect. Default: by method (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool
    /// The limits of time and size. `nil`, the default: the session's.
    public var limits: TransferLimits?
    /// How the cache is used. Default: ``CacheUse/use``.
    public var cache: CacheUse
    /// How received bytes are counted. Default: as JSON.
    public var kind: Kind
    /// Whether redirects may lead to other public hosts (pictures and documents). Default: only within the origin.
    public var mayLeaveOrigin: Bool
    /// Whether the session may delay the request (throttling, pacing) and repeat it. Default `true`.
    ///
    /// Otherwise it is sent exactly once, without any wait.
    public var mayWait = true
    /// Whether an answer to this request may mean that the service has ended (``HostBlockRule``). Default `true`.
    ///
    /// `false` for the request of one object, whose 410 only means that this object is gone.
    public var mayEndService = true

    /// Creates a request.
    public init(
        method: String = "GET", _ target: Target, headers: HeaderFields = [:], body: [UInt8]? = nil,
        contentType: String? = nil, isIdempotent: Bool? = nil, limits: TransferLimits? = nil,
        cache: CacheUse = .use, kind: Kind = .json, mayLeaveOrigin: Bool = false
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.contentType = contentType
        self.isIdempotent =
            isIdempotent ?? ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method)
        self.limits = limits
        self.cache = cache
        self.kind = kind
        self.mayLeaveOrigin = mayLeaveOrigin
    }
}
