import CCurl
import Foundation

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
        // Only the connect limit is libcurl's; the idle and the total limit are ours.
        case CURLE_OPERATION_TIMEDOUT: requestBegan ? .timedOut : .connectTimedOut
        case CURLE_PARTIAL_FILE: .truncatedBody
        case CURLE_TOO_LARGE, CURLE_OUT_OF_MEMORY:
            requestBegan && !headComplete ? .headersTooLarge : fallback
        case CURLE_RECV_ERROR: headNearLimit ? .headersTooLarge : fallback
        case CURLE_WEIRD_SERVER_REPLY: .badResponse
        // A `Transfer-Encoding` that was not asked for; content codings are not libcurl's here.
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

/// Which proxy libcurl takes from the environment for a request: known here only to name it in a message.
///
/// libcurl's rules: `http_proxy` in lower case alone, `https_proxy` and `HTTPS_PROXY`, else `all_proxy` and `ALL_PROXY`;
/// none for the hosts in `no_proxy` or `NO_PROXY`. Loopback never has one; see ``CurlTransport``.
struct ProxyEnvironment: Sendable {
    struct Proxy: Sendable, Hashable, CustomStringConvertible {
        /// Host and port as written: without scheme, name and password.
        let address: String
        /// The variable that names it.
        let variable: String
        /// Whether the connection to the proxy itself is encrypted.
        var isSecure = false

        var description: String { "the proxy \(address) (\(variable))" }
    }

    /// The value of an environment variable; `nil` for one that is empty or not set.
    let value: @Sendable (String) -> String?

    static let current = ProxyEnvironment { name in
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// `nil` too where it isn't certain that there is one.
    func proxy(for target: RequestTarget) -> Proxy? {
        guard !target.isLoopback, !isExcepted(Self.host(of: target.authority)) else { return nil }
        let names = target.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        for variable in names + ["all_proxy", "ALL_PROXY"] {
            guard let text = value(variable) else { continue }
            return Proxy(
                address: Self.address(in: text), variable: variable,
                isSecure: text.lowercased().hasPrefix("https://"))
        }
        return nil
    }

    private func isExcepted(_ host: String) -> Bool {
        guard let list = value("no_proxy") ?? value("NO_PROXY") else { return false }
        let isNumeric = host.contains(":") || host.allSatisfy { $0 == "." || $0.isNumber }
        return list.split { $0 == "," || $0 == " " }.contains { entry in
            if entry == "*" { return true }
            // Which addresses a network has is libcurl's business: it may have this one.
            if isNumeric, entry.contains("/") { return true }
            let name = entry.drop { $0 == "." }.lowercased()
            return host == name || (!isNumeric && host.hasSuffix("." + name))
        }
    }

    /// Without brackets and port.
    private static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    private static func address(in text: String) -> String {
        var rest = text[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        return String(rest)
    }
}
