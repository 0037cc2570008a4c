/// One request of a caller: what to send, and how the answer may be used.
///
/// The session adds the origin's address, credentials, conditional headers and limits.
public struct Request: Sendable, Hashable {
    /// Where a request goes.
    public enum Target: Sendable, Hashable {
        /// Appended to the origin's base: `""` or begins with `/`, percent-encoded, query items sorted by name.
        case relative(String)
        /// Beside the base's `/api/v1` (such as `/_session` and `/status`): begins with `/`.
        case beside(String)
        /// A whole `http` or `https` URL. On another host than the origin's it gets no credentials.
        case absolute(String)
    }

    /// How the cache takes part.
    public enum CacheUse: Sendable, Hashable {
        /// A fresh entry answers without a request; a stale one is validated.
        case use
        /// An entry answers only after the origin has confirmed it (RFC 9111, section 5.2.1.4); the answer is stored.
        case noCache
        /// No entry answers, and the request is unconditional: it goes to the origin past all caches on the way
        /// (RFC 9111, section 5.2.1.4), and the answer is stored.
        case reload
        /// Neither read nor stored.
        case bypass
    }

    /// What the bytes count as in ``SessionStatistics``.
    public enum Kind: Sendable, Hashable { case json, media }

    public var method: String
    public var target: Target
    public var headers: HeaderFields
    public var body: [UInt8]?
    /// Sent as `Content-Type` if there is a body.
    public var contentType: String?
    /// Whether sending it twice does no more than sending it once. Default: RFC 9110, section 9.2.2 by method.
    public var isIdempotent: Bool
    /// `nil`: the session's.
    public var limits: TransferLimits?
    public var cache: CacheUse
    public var kind: Kind
    /// Whether redirects may lead to other public hosts (pictures and documents). Default: only within the origin.
    public var mayLeaveOrigin: Bool
    /// Whether the session may delay it (throttling, pacing) and repeat it after passing failures. Default: it may. Otherwise
    /// it is sent once and at once, whatever other requests wait for.
    public var mayWait = true

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
