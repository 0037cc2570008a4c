/// What kind of failure a transport met.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The URL, the method or a header field is nothing that HTTP can carry; nothing was sent.
        case unsupportedURL
        case cannotResolveHost, cannotConnect, badCertificate
        case connectTimedOut, idleTimedOut, timedOut
        /// The connection broke before, or while, the response came.
        case connectionLost
        /// The body ended before its announced length.
        case truncatedBody
        case bodyTooLarge, headersTooLarge
        /// What came is not HTTP.
        case badResponse
        /// The body came in a content coding that was not asked for.
        case unknownCoding
        /// The body's gzip data ends within a member, isn't gzip, or has a wrong sum or length.
        case brokenCoding
        /// No connection through the proxy that the environment names.
        case cannotConnectByProxy
        /// The certificate of the HTTPS proxy that the environment names can't be trusted.
        case untrustedProxy
        /// The certificate authorities can't be read, so that no certificate can be checked.
        case unreadableAuthorities
    }

    public let code: Code
    /// One sentence for a person, without the URL's query, without secrets.
    public let message: String
    /// Whether any byte of the request may have reached the server: if not, even a request that is not
    /// idempotent may be repeated.
    public let mayHaveReachedServer: Bool

    public init(_ code: Code, _ message: String, mayHaveReachedServer: Bool = true) {
        self.code = code
        self.message = message
        self.mayHaveReachedServer = mayHaveReachedServer
    }

    public var description: String { message }
}

extension TransportError {
    /// Nothing was sent, because it can't be.
    init(refused reason: String) {
        self.init(.unsupportedURL, reason + ".", mayHaveReachedServer: false)
    }

    /// A limit of time has passed.
    init(expired code: Code, _ ticket: SendTicket, mayHaveReachedServer: Bool = true) {
        let limits = ticket.request.limits
        let words = code == .timedOut ? "took longer than \(limits.whole)" : "sent nothing for \(limits.idle)"
        self.init(code, "\(ticket.target.authority) \(words).", mayHaveReachedServer: mayHaveReachedServer)
    }

    init(bodyTooLarge ticket: SendTicket) {
        let limit = ticket.request.limits.body
        self.init(.bodyTooLarge, "\(ticket.target.authority) sent a body of more than \(limit) bytes.")
    }

    /// A body that was not decoded to its end.
    init(_ failure: GzipDecoder.Failure, _ ticket: SendTicket) {
        let host = ticket.target.authority
        switch failure {
        case .broken: self.init(.brokenCoding, "The gzip data that \(host) sent is damaged.")
        case .cutOff: self.init(.brokenCoding, "The gzip data that \(host) sent ends in the middle.")
        case .outOfMemory: self.init(.connectionLost, "There is no memory to decode what \(host) sent.")
        }
    }

    /// A body in a coding that was not asked for, and can't be decoded.
    init(unknownCoding name: String, _ ticket: SendTicket) {
        self.init(
            .unknownCoding,
            "\(ticket.target.authority) sends its answer with Content-Encoding \"\(name.prefix(40))\", which was not asked for."
        )
    }
}
