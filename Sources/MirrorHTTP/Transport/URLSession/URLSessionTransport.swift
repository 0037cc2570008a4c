import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Moves bytes with one long-lived `URLSession`, for apps that want the system's networking.
///
/// It has no cache, no cookies, no stored credentials, and follows no redirect. Sinks are called on the session's
/// delegate queue, one after another. It trusts the system's certificate authorities alone: no ``CertificateAuthorities``,
/// and none of the variables that name some, count for it.
///
/// It has gaps that ``CurlTransport`` doesn't have. On every platform:
/// - Connecting has no limit of its own; it counts as idling. A header section of any size is read.
/// - Bodies are decoded even if the request names its own `Accept-Encoding`, and their size on the wire isn't known then.
/// - Fields of one name are joined, and the order of lines is lost; in requests and responses.
/// - A body that ends before its announced length is taken for a lost connection, or for complete; so is one in an unknown
///   coding. One that comes in a coding, though `identity` was asked for, is refused.
///
/// On Linux, where `CurlTransport` is the better choice, also:
/// - A chunked body with trailer fields ends the process, and a 401 with `WWW-Authenticate: Basic` is never answered.
/// - A slow sink doesn't slow the server; what has come waits in memory.
/// - Dot segments of the path are resolved.
/// - A failed TLS handshake is taken for a lost connection, so that the request may seem to have been sent.
/// - A request with a body, on a kept connection that the server closes just then, ends only by a limit.
/// - Informational responses are taken for the final one, or their fields mixed into it.
public final class URLSessionTransport: Transport {
    private let exchanges: URLSessionExchanges
    private let session: URLSession
    private let addresses: AddressPolicy

    /// - Parameters:
    ///   - maxConnectionsPerHost: transfers at a time to one scheme, host and port; more wait their turn, and no limit of
    ///     time runs meanwhile. Default 6. Altogether four times as many.
    ///   - addresses: which hosts may be requested at all. Default: every one.
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

    /// Ends every transfer. The session holds its delegate until then.
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

/// Between our terms and Foundation's.
extension URLRequest {
    init(_ request: TransportRequest, url: URL) {
        // Our own clock is exact, and doesn't differ between platforms.
        self.init(url: url, timeoutInterval: 2 * max(1, min(request.limits.whole / .seconds(1), 1e8)))
        httpMethod = request.method
        httpBody = request.body.map { Data($0) }
        for line in request.headers.lines { addValue(line.value, forHTTPHeaderField: line.name) }
        // Foundation decodes by itself, and takes a body that breaks off for complete.
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
    /// What `URLSession` reports, in our terms.
    init(_ error: any Error, authority: String) {
        guard let error = error as? URLError else {
            self.init(.connectionLost, "Lost the connection to \(authority).")
            return
        }
        #if canImport(FoundationNetworking)
            // Foundation on Linux says so of a reply that is not HTTP, and of none at all; the URL itself has
            // been judged before.
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
