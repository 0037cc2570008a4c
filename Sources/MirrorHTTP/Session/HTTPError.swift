/// Why a request brought nothing usable: what happened, and what the person at the keyboard can do about it.
///
/// No message holds a query, a credential, or a control character that a server sent.
public struct HTTPError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The caller's address or request is malformed; nothing was sent.
        case invalidAddress, invalidRequest
        case unreachable, badCertificate, timedOut, connectionLost
        /// 401 (and 403 `credentials_expired`): log in, or give another token.
        case notAuthorised
        /// 403 for another reason.
        case forbidden
        /// 404, or 410: it is gone.
        case notFound
        /// 405 or 501: this server doesn't have it.
        case notOffered
        case tooManyRequests
        /// 5xx.
        case serverError
        /// Any other status that isn't 2xx.
        case unexpectedStatus
        case tooLarge, invalidRedirect
        /// A picture's or document's address that must not be asked (private, loopback, not HTTP).
        case forbiddenAddress
        /// What came isn't HTTP, or isn't what the content should be (HTML instead of JSON, a body that can't be decoded).
        case badResponse, notJSON
        /// A downloaded file isn't what was announced.
        case wrongLength, wrongDigest, wrongSignature
        /// A file could not be written.
        case file
    }

    public let code: Code
    /// One sentence or two, for a person.
    public let message: String
    public let cause: (any Error)?
    /// The status that the server answered, if it did.
    public let status: Int?
    /// The `error` word of a JSON error body (such as `since_too_old`); letters, digits, `_`, `-` and `.` only.
    public let reason: String?
    /// How long the server asked to wait.
    public let retryAfter: Duration?

    public init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, status: Int? = nil, reason: String? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.status = status
        self.reason = reason
        self.retryAfter = retryAfter
    }

    public var description: String { message }

    /// Whether the server doesn't have such a thing at all: 404, 405 or 501.
    public var isNotOffered: Bool { status == 404 || status == 405 || status == 501 }

    /// Whether the same request may well succeed later.
    public var isWorthRetry: Bool {
        if let status { return RetryWorth.isWorthRetry(status: status) }
        switch code {
        case .unreachable, .timedOut, .connectionLost: return true
        // A body that broke on its way, not one that the server always sends so.
        case .badResponse: return (cause as? TransportError)?.isWorthRetry ?? false
        default: return false
        }
    }
}
