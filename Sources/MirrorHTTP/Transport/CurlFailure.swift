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

    var error: TransportError {
        TransportError(kind, message, mayHaveReachedServer: requestBegan)
    }

    private var kind: TransportError.Code {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED, CURLE_NOT_BUILT_IN: .unsupportedURL
        // Also what libcurl calls a reply that is not HTTP at all (it takes it for HTTP/0.9).
        case CURLE_UNSUPPORTED_PROTOCOL: requestBegan ? .badResponse : .unsupportedURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotResolveHost
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CACERT_BADFILE:
            .badCertificate
        // Only the connect limit is libcurl's; idle and whole time are ours.
        case CURLE_OPERATION_TIMEDOUT: requestBegan ? .timedOut : .connectTimedOut
        case CURLE_PARTIAL_FILE: .truncatedBody
        case CURLE_TOO_LARGE, CURLE_OUT_OF_MEMORY:
            requestBegan && !headComplete ? .headersTooLarge : fallback
        case CURLE_RECV_ERROR: headNearLimit ? .headersTooLarge : fallback
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .badResponse
        default: fallback
        }
    }

    /// One line may be as long as 100 KiB, so the limit can fall within a line that never arrives here.
    private var headNearLimit: Bool { !headComplete && headBytes > ResponseHeadReader.limit - 102_400 }

    private var fallback: TransportError.Code { requestBegan ? .connectionLost : .cannotConnect }

    private var message: String {
        let reason = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        return "\(opening) \(authority): \(reason)"
    }

    private var opening: String {
        switch kind {
        case .unsupportedURL: "Cannot send a request to"
        case .cannotResolveHost: "Cannot find"
        case .badCertificate: "Cannot trust"
        case .cannotConnect, .connectTimedOut: "Cannot connect to"
        case .truncatedBody: "The body ended early from"
        case .badResponse: "Cannot understand the answer of"
        case .headersTooLarge: "The header section is too large from"
        default: "Lost the connection to"
        }
    }
}
