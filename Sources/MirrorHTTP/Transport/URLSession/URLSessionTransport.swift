import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport over one long-lived `URLSession`, for apps that need the system's networking.
///
/// It has no cache, cookies or stored credentials, and follows no redirects. Sinks are called on the session's delegate queue,
/// one after another. It only trusts the system's certificate authorities: ``CertificateAuthorities`` and their environment
/// variables are ignored.
///
/// It has limitations that ``CurlTransport`` doesn't have. On every platform:
/// - There is no connect limit; connecting counts as idle time. The size of the header section isn't limited.
/// - Bodies are decoded even if the request has its own `Accept-Encoding`; their size on the network is then unknown.
/// - Fields of the same name are joined, and the order of lines is lost, in requests and responses.
/// - A body that is shorter than its `Content-Length`, or has an unknown content coding, is reported as a lost connection or
///   accepted as complete. A body with a content coding is refused if `identity` was requested.
///
/// On Linux, where `CurlTransport` is the better choice, also:
/// - A chunked body with trailer fields terminates the process. A 401 with `WWW-Authenticate: Basic` never completes.
/// - There is no backpressure: received data is kept in memory while a sink is slow.
/// - Dot segments of the path are resolved.
/// - A failed TLS handshake is reported as a lost connection, so that the request counts as possibly sent.
/// - A request with a body, on a reused connection that the server is closing, only ends by a time limit.
/// - Informational responses are treated as the final one, or their fields are added to it.
public final class URLSessionTransport: Transport {
    private let exchanges: URLSessionExchanges
    private let session: URLSession
    private let addresses: AddressPolicy

    /// Creates a transport with its own `URLSession`.
    ///
    /// - Parameters:
    ///   - maxConnectionsPerHost: The maximum number of simultaneous transfers to one scheme, host and port; the total limit
    ///     is four times as high. Other transfers are queued, and time limits don't apply in the queue. Default 6.
    ///   - addresses: The hosts that may be requested. Default: all.
    public init(maxConnectionsPerHost: Int = 6, addresses: AddressPolicy = .all) {
        self.addresses = addresses
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = max(1, maxConnectionsPerHost)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        exchanges = URLSessionExchanges(maxConnectionsPerHost: maxConnectionsPerHost)
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    /// Ends all transfers. The session has a strong reference to its delegate until it is invalidated.
    deinit { session.invalidateAndCancel() }

    /// Sends a request; see ``Transport/send(_:into:)``.
    public func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
        try Task.checkCancellation()
        let ticket = try SendTicket(request, into: sink, addresses)
        return try await ticket.send {
            exchanges.enqueue($0, in: session)
        } end: { [exchanges] ticket in
            exchanges.end(ticket, CancellationError())
        }
    }
}

/// Conversion to and from Foundation's types.
extension URLRequest {
    init(_ request: TransportRequest, url: URL) {
        // The time limits are enforced by `TransferClock`, so Foundation's time-out is twice as long.
        self.init(url: url, timeoutInterval: 2 * max(1, min(request.limits.whole / .seconds(1), 1e8)))
        httpMethod = request.method
        httpBody = request.body.map { Data($0) }
        for line in request.headers.lines { addValue(line.value, forHTTPHeaderField: line.name) }
        // Foundation would decode the body, and accepts a truncated one as complete.
        if request.headers["Accept-Encoding"] == nil {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
    }
}

extension HeaderFields {
    init(_ response: HTTPURLResponse) {
        self.init(
            response.allHeaderFields.compactMap { name, value in
                (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
            })
    }
}

extension TransportError {
    /// Converts an error of `URLSession`.
    init(_ error: any Error, authority: String) {
        guard let error = error as? URLError else {
            self.init(.connectionLost, "Lost the connection to \(authority).")
            return
        }
        #if canImport(FoundationNetworking)
            // Foundation on Linux uses these codes for a response that isn't HTTP, and for no response. The URL itself has
            // already been checked.
            let isNoHTTP = error.code == .unsupportedURL
            let isNoReply = error.code == .badServerResponse
        #else
            let isNoHTTP = error.code == .badServerResponse
            let isNoReply = false
        #endif
        if isNoHTTP || isNoReply {
            self.init(
                isNoHTTP ? .badResponse : .connectionLost, "Cannot understand the answer of \(authority).")
            return
        }
        switch error.code {
        case .unsupportedURL, .badURL:
            self.init(.unsupportedURL, "Cannot send a request to \(authority).", mayHaveReachedServer: false)
        case .cannotFindHost, .dnsLookupFailed:
            self.init(.cannotResolveHost, "Cannot find \(authority).", mayHaveReachedServer: false)
        case .cannotConnectToHost, .notConnectedToInternet, .secureConnectionFailed:
            self.init(.cannotConnect, "Cannot connect to \(authority).", mayHaveReachedServer: false)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot:
            self.init(.badCertificate, "Cannot trust \(authority).", mayHaveReachedServer: false)
        case .timedOut: self.init(.idleTimedOut, "\(authority) sent nothing in time.")
        case .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
            self.init(.badResponse, "Cannot understand the answer of \(authority).")
        default: self.init(.connectionLost, "Lost the connection to \(authority).")
        }
    }
}
