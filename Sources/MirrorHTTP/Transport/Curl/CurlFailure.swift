import CCurl
import Foundation

/// The facts about a transfer that libcurl ended with an error, and their conversion to a ``TransportError``.
///
/// libcurl uses some error codes for several failures, so the progress of the transfer distinguishes them. Messages are never
/// compared.
struct CurlFailure {
    let code: CURLcode
    /// Host and port, for the message.
    let authority: String
    /// libcurl's error message; empty if there is none.
    let detail: String
    /// Whether the connection was established and the request was started.
    let requestBegan: Bool
    let headComplete: Bool
    /// The bytes of heads read so far.
    let headBytes: Int
    /// The proxy of the request; `nil` for none.
    var proxy: ProxyEnvironment.Proxy?
    /// Whether the proxy has accepted a CONNECT. TLS failures after that concern the server, not the proxy.
    var isTunnelled = false
    /// The file or folder of the certificate authorities, for the message.
    var authorities = ""

    var error: TransportError {
        TransportError(kind, message, mayHaveReachedServer: requestBegan)
    }

    private var kind: TransportError.Code {
        // A connection failure is the proxy's, unless only the server can have caused it.
        let known = kindWithoutProxy
        let isProxysTLS = proxy?.isSecure == true && !isTunnelled
        switch known {
        case .badCertificate: return isProxysTLS ? .untrustedProxy : known
        case .cannotConnect where code != CURLE_SSL_CONNECT_ERROR || isProxysTLS, .connectTimedOut,
            .cannotResolveHost:
            return proxy == nil && code != CURLE_COULDNT_RESOLVE_PROXY ? known : .cannotConnectByProxy
        default: return known
        }
    }

    /// The kind of failure without a proxy.
    private var kindWithoutProxy: TransportError.Code {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED, CURLE_NOT_BUILT_IN: .unsupportedURL
        // libcurl also uses this code for a response that isn't HTTP, which it treats as HTTP/0.9.
        case CURLE_UNSUPPORTED_PROTOCOL: requestBegan ? .badResponse : .unsupportedURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotResolveHost
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS:
            .badCertificate
        case CURLE_SSL_CACERT_BADFILE: .unreadableAuthorities
        // libcurl only enforces the connect limit; the idle and total limits are enforced by `CurlLoop`.
        case CURLE_OPERATION_TIMEDOUT: requestBegan ? .timedOut : .connectTimedOut
        case CURLE_PARTIAL_FILE: .truncatedBody
        case CURLE_TOO_LARGE, CURLE_OUT_OF_MEMORY:
            requestBegan && !headComplete ? .headersTooLarge : fallback
        case CURLE_RECV_ERROR: headNearLimit ? .headersTooLarge : fallback
        case CURLE_WEIRD_SERVER_REPLY: .badResponse
        // A `Transfer-Encoding` that wasn't requested. libcurl doesn't decode content codings in this transport.
        case CURLE_BAD_CONTENT_ENCODING: .unknownCoding
        default: fallback
        }
    }

    /// A line may be up to 100 KiB long, so the limit may be exceeded by a line that libcurl doesn't pass on.
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

    /// The error for a 407, which comes from a proxy, unless the request is sent through a tunnel (https).
    static func refusal(
        status: Int, isSecure: Bool, authority: String, proxy: ProxyEnvironment.Proxy?
    ) -> TransportError? {
        guard status == 407, !isSecure, let proxy else { return nil }
        return TransportError(
            .cannotConnectByProxy,
            "Cannot connect to \(authority) through \(proxy): it requires a name and password (407)",
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

/// Finds the proxy that libcurl takes from the environment for a request, to show it in messages.
///
/// It follows libcurl's rules:
/// - `http_proxy` (only in lower case) for http, `https_proxy` or `HTTPS_PROXY` for https; otherwise `all_proxy` or
///   `ALL_PROXY`.
/// - No proxy for hosts in `no_proxy` or `NO_PROXY`.
/// - No proxy for loopback addresses; see ``CurlTransport``.
struct ProxyEnvironment: Sendable {
    struct Proxy: Sendable, Hashable, CustomStringConvertible {
        /// Host and port as written, without scheme, name and password.
        let address: String
        /// The environment variable that the address was read from.
        let variable: String
        /// Whether the connection to the proxy itself is encrypted.
        var isSecure = false

        var description: String { "the proxy \(address) (\(variable))" }
    }

    /// The value of an environment variable; `nil` if it is empty or not set.
    let value: @Sendable (String) -> String?

    static let current = ProxyEnvironment { name in
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The proxy for a request; `nil` if there is none, or if it is uncertain.
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
            // Networks in CIDR notation aren't evaluated; the address may be in this one.
            if isNumeric, entry.contains("/") { return true }
            let name = entry.drop { $0 == "." }.lowercased()
            return host == name || (!isNumeric && host.hasSuffix("." + name))
        }
    }

    /// The host without brackets and port.
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
