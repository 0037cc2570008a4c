import CCurl

/// What is known of a transfer that libcurl ended with an error; turns it into a ``TransportError``.
///
/// libcurl uses some of its codes for several things, so the progress of the exchange decides among them. No
/// message is ever matched.
struct CurlFailure {
    let code: CURLcode
    /// Host and port, for the message.
    let authority: String
    /// libcurl's own words; empty without any.
    let detail: String
    /// Whether a connection stood and sending the request began.
    let requestBegan: Bool
    let headComplete: Bool
    /// Bytes of heads read so far.
    let headBytes: Int
    /// The proxy that the request was to go through, `nil` for none.
    var proxy: ProxyEnvironment.Proxy?
    /// Whether the proxy has answered a CONNECT: what is encrypted from then on is the server's.
    var isTunnelled = false
    /// Where the certificate authorities are, for the message.
    var authorities = ""

    var error: TransportError {
        TransportError(kind, message, mayHaveReachedServer: requestBegan)
    }

    private var kind: TransportError.Code {
        // Without a connection, and but for what only the host itself can answer, it was the proxy that didn't give one.
        let known = ownKind
        let isProxysTLS = proxy?.isSecure == true && !isTunnelled
        switch known {
        case .badCertificate: return isProxysTLS ? .untrustedProxy : known
        case .cannotConnect where code != CURLE_SSL_CONNECT_ERROR || isProxysTLS, .connectTimedOut,
            .cannotResolveHost:
            return proxy == nil && code != CURLE_COULDNT_RESOLVE_PROXY ? known : .cannotConnectByProxy
        default: return known
        }
    }

    /// What it is where there is no proxy.
    private var ownKind: TransportError.Code {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED, CURLE_NOT_BUILT_IN: .unsupportedURL
        // Also what libcurl calls a reply that is not HTTP at all (it takes it for HTTP/0.9).
        case CURLE_UNSUPPORTED_PROTOCOL: requestBegan ? .badResponse : .unsupportedURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotResolveHost
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS:
            .badCertificate
        case CURLE_SSL_CACERT_BADFILE: .unreadableAuthorities
        // Only the connect limit is libcurl's; idle and whole time are ours.
        case CURLE_OPERATION_TIMEDOUT: requestBegan ? .timedOut : .connectTimedOut
        case CURLE_PARTIAL_FILE: .truncatedBody
        case CURLE_TOO_LARGE, CURLE_OUT_OF_MEMORY:
            requestBegan && !headComplete ? .headersTooLarge : fallback
        case CURLE_RECV_ERROR: headNearLimit ? .headersTooLarge : fallback
        case CURLE_WEIRD_SERVER_REPLY: .badResponse
        // A `Transfer-Encoding` that nobody asked for; content codings are not libcurl's here.
        case CURLE_BAD_CONTENT_ENCODING: .unknownCoding
        default: fallback
        }
    }

    /// One line may be as long as 100 KiB, so the limit can fall within a line that never arrives here.
    private var headNearLimit: Bool { !headComplete && headBytes > ResponseHeadReader.limit - 102_400 }

    private var fallback: TransportError.Code { requestBegan ? .connectionLost : .cannotConnect }

    private var message: String {
        let reason = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        let place: String? =
            switch kind {
            case .cannotConnectByProxy: proxy.map { "\(authority) through \($0)" }
            case .untrustedProxy: proxy.map { "\($0) to \(authority)" }
            case .unreadableAuthorities: "\(authorities) for \(authority)"
            default: nil
            }
        return "\(opening) \(place ?? authority): \(reason)"
    }

    /// What a proxy's own answer means: 407 comes from a proxy, unless a tunnel leads past it to the server.
    static func refusal(
        status: Int, isSecure: Bool, authority: String, proxy: ProxyEnvironment.Proxy?
    ) -> TransportError? {
        guard status == 407, !isSecure, let proxy else { return nil }
        return TransportError(
            .cannotConnectByProxy,
            "Cannot connect to \(authority) through \(proxy): it asks for a name and password (407)",
            mayHaveReachedServer: false)
    }

    private var opening: String {
        switch kind {
        case .unsupportedURL: "Cannot send a request to"
        case .cannotResolveHost: "Cannot find"
        case .badCertificate, .untrustedProxy: "Cannot trust"
        case .unreadableAuthorities: "Cannot read"
        case .cannotConnect, .connectTimedOut, .cannotConnectByProxy: "Cannot connect to"
        case .truncatedBody: "The body ended early from"
        case .badResponse, .unknownCoding: "Cannot understand the answer of"
        case .headersTooLarge: "The header section is too large from"
        default: "Lost the connection to"
        }
    }
}
