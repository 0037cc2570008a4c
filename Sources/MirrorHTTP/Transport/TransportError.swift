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
        /// The body came in a content coding that nobody asked for.
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
