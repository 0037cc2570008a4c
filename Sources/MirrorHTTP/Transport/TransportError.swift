/// A failure of a transport.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Hashable {
        /// The URL, the method or a header field isn't valid in HTTP; nothing was sent.
        case unsupportedURL
        /// No connection was established.
        case cannotResolveHost, cannotConnect, badCertificate
        /// A limit of ``TransferLimits`` has expired.
        case connectTimedOut, idleTimedOut, timedOut
        /// The connection was lost before the response was complete.
        case connectionLost
        /// The body is shorter than its `Content-Length`.
        case truncatedBody
        /// The body or the header section is larger than its limit.
        case bodyTooLarge, headersTooLarge
        /// The response isn't HTTP.
        case badResponse
        /// The body has a content coding that wasn't requested.
        case unknownCoding
        /// The body's gzip data is truncated, isn't gzip, or has a wrong checksum or length.
        case brokenCoding
        /// The connection through the proxy from the environment failed.
        case cannotConnectByProxy
        /// The certificate of the HTTPS proxy from the environment isn't trusted.
        case untrustedProxy
        /// The certificate authorities can't be read, so that no certificate can be checked.
        case unreadableAuthorities
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence for people, without the URL's query and without secrets.
    public let message: String
    /// Whether any byte of the request may have reached the server.
    ///
    /// If not, even a request that isn't idempotent may be repeated.
    public let mayHaveReachedServer: Bool

    /// Creates an error.
    public init(_ code: Code, _ message: String, mayHaveReachedServer: Bool = true) {
        self.code = code
        self.message = message
        self.mayHaveReachedServer = mayHaveReachedServer
    }

    /// The message.
    public var description: String { message }
}

extension TransportError {
    /// The error for a request that isn't valid; nothing was sent.
    init(refused reason: String) {
        self.init(.unsupportedURL, reason + ".", mayHaveReachedServer: false)
    }

    /// The error for an expired time limit.
    init(expired code: Code, _ ticket: SendTicket, mayHaveReachedServer: Bool = true) {
        let limits = ticket.request.limits
        let words = code == .timedOut ? "took longer than \(limits.whole)" : "sent nothing for \(limits.idle)"
        self.init(code, "\(ticket.target.authority) \(words).", mayHaveReachedServer: mayHaveReachedServer)
    }

    init(bodyTooLarge ticket: SendTicket) {
        let limit = ticket.request.limits.body
        self.init(.bodyTooLarge, "\(ticket.target.authority) sent a body of more than \(limit) bytes.")
    }

    /// The error for a body that could not be decoded completely.
    init(_ failure: GzipDecoder.Failure, _ ticket: SendTicket) {
        let host = ticket.target.authority
        switch failure {
        case .broken: self.init(.brokenCoding, "The gzip data that \(host) sent is damaged.")
        case .cutOff: self.init(.brokenCoding, "The gzip data that \(host) sent is truncated.")
        case .outOfMemory:
            self.init(.connectionLost, "There is not enough memory to decode the response of \(host).")
        }
    }

    /// The error for a body in a content coding that wasn't requested and can't be decoded.
    init(unknownCoding name: String, _ ticket: SendTicket) {
        self.init(
            .unknownCoding,
            "\(ticket.target.authority) sent its response with Content-Encoding \"\(name.prefix(40))\", which was not requested."
        )
    }
}
