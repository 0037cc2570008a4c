import Catalogue
import Foundation

/// Why a request failed, with a message for people.
///
/// Messages contain no query, no credential, and no control character from a server.
public struct HTTPError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Hashable {
        /// The caller's address or request is malformed; nothing was sent.
        case invalidAddress, invalidRequest
        /// There is no response, or no complete one.
        case unreachable, badCertificate, timedOut, connectionLost
        /// 401, or 403 with the reason `credentials_expired`: a login or another token is needed.
        case notAuthorised
        /// 403 for another reason.
        case forbidden
        /// 404 or 410.
        case notFound
        /// 405 or 501: the server doesn't support the request.
        case notSupported
        /// 429, or the server's requested wait is longer than a limit.
        case tooManyRequests
        /// The host requested a longer wait than the limits allow (`Retry-After`), and nothing is sent to it before.
        case waitTooLong
        /// The requests that the client allows itself on one day are used up; nothing was sent.
        case dailyBudgetUsedUp
        /// The host blocks requests: its answers are no content (``BlockInterceptor``). It says nothing about the resource.
        case blocked
        /// The service has ended permanently.
        case serviceEnded
        /// 5xx.
        case serverError
        /// Any other status that isn't 2xx.
        case unexpectedStatus
        /// The response is larger than the limit, or a redirect must not be followed.
        case tooLarge, invalidRedirect
        /// The address must not be requested: it is private or loopback, or its host isn't listed (`HostRules`).
        case forbiddenAddress
        /// The response isn't HTTP, or not the expected content, such as HTML instead of JSON.
        case badResponse, notJSON
        /// A downloaded file doesn't have the expected properties.
        case wrongLength, wrongDigest, wrongSignature
        /// A file could not be written.
        case file
    }

    /// The kind of failure.
    public let code: Code
    /// One or more sentences for people: what happened, and what to do.
    public let message: String
    /// The error that caused this one, such as a ``TransportError``.
    public let cause: (any Error)?
    /// The status of the response; `nil` without a response.
    public let status: Int?
    /// The `error` word of a JSON error body, such as `since_too_old`. It has only letters, digits, `_`, `-` and `.`.
    public let reason: String?
    /// The wait that the server requested (`Retry-After`).
    public let retryAfter: Duration?
    /// Whether the response's body is HTML or XML, such as the page of a firewall; `nil` without a response.
    ///
    /// With a status of 404, such a page doesn't mean that a server of JSON lacks the object.
    package var isMarkup: Bool?

    /// Creates an error.
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

    /// The message.
    public var description: String { message }

    /// Whether the server doesn't offer the resource at all: 404, 405 or 501.
    public var isNotSupported: Bool { status == 404 || status == 405 || status == 501 }

    /// Whether the same request may succeed later.
    public var isWorthRetry: Bool {
        if let status { return Self.isWorthRetry(status: status) }
        switch code {
        case .unreachable, .timedOut, .connectionLost: return true
        // A body that was damaged in transit may arrive intact; other bad responses stay bad.
        case .badResponse: return (cause as? TransportError)?.isWorthRetry ?? false
        default: return false
        }
    }

    /// Whether a status indicates a temporary failure.
    package static func isWorthRetry(status: Int) -> Bool {
        [408, 429, 500, 502, 503, 504].contains(status)
    }
}

/// Errors for transport failures and unsuccessful responses, with messages that contain a remedy.
extension HTTPError {
    /// The error for a failed transfer.
    package static func from(_ error: TransportError, at address: WebAddress) -> HTTPError {
        let code: Code =
            switch error.code {
            case .unsupportedURL: .invalidAddress
            case .cannotResolveHost, .cannotConnect, .connectTimedOut, .cannotConnectByProxy: .unreachable
            case .badCertificate, .untrustedProxy, .unreadableAuthorities: .badCertificate
            case .idleTimedOut, .timedOut: .timedOut
            case .connectionLost, .truncatedBody: .connectionLost
            case .bodyTooLarge, .headersTooLarge: .tooLarge
            case .unknownCoding, .brokenCoding, .badResponse: .badResponse
            }
        return HTTPError(code, message(error, at: address), cause: error)
    }

    private static func message(_ error: TransportError, at address: WebAddress) -> String {
        let host = address.origin.display
        let what = clean(error.message)
        return switch error.code {
        case .unsupportedURL:
            "\(address.display) can't be requested: only http and https addresses can. Check the address."
        case .cannotResolveHost:
            "The host name \(address.origin.host) can't be resolved. Check the address and the network."
        case .cannotConnect:
            "\(host) can't be reached: the connection failed. Check the address, and that the server is running."
        case .connectTimedOut:
            "\(host) can't be reached: it doesn't answer. Check the address and the network."
        case .cannotConnectByProxy:
            "\(host) can't be reached through its proxy (\(what)). Check that the proxy is running and allows this host, or add the host to no_proxy."
        case .badCertificate:
            "The certificate of \(host) isn't trusted (\(what)). Check the address and this computer's clock. If the certificate was issued by a private authority, give the authority's certificate file with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or its folder with SSL_CERT_DIR."
        case .untrustedProxy:
            "The certificate of the proxy for \(host) isn't trusted (\(what)). Check the proxy's address and this computer's clock. If the certificate was issued by a private authority, give the authority's certificate file with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or its folder with SSL_CERT_DIR."
        case .unreadableAuthorities:
            "The certificate of \(host) can't be checked, because the file or folder of certificate authorities can't be read (\(what)). Give a readable file in PEM format with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or remove the setting."
        case .idleTimedOut, .timedOut:
            "\(address.display) took too long to answer. Try again later."
        case .connectionLost:
            "The connection to \(host) was lost. Try again."
        case .truncatedBody:
            "The response of \(address.display) ended before it was complete. Try again."
        case .bodyTooLarge, .headersTooLarge:
            "The response of \(address.display) is larger than the limit. Check the address."
        case .unknownCoding:
            "The response of \(address.display) can't be decoded. \(what) Ask the server's owner to use gzip or no content coding."
        case .brokenCoding:
            "The response of \(address.display) can't be decoded. \(what) Try again. If it happens again, report it to the server's owner."
        case .badResponse:
            "\(host) doesn't answer like a web server. Check the address and its port."
        }
    }

    /// The error for a response whose status isn't 2xx.
    ///
    /// - Parameter now: The time by the local clock; see ``RetryAfter``.
    package static func from(_ response: Response, at address: WebAddress, now: Date) -> HTTPError {
        let status = response.status
        let reason = ErrorBody.reason(response.body)
        let wait = RetryAfter.wait(response.headers, now: now)
        let code: Code =
            switch status {
            case 401: .notAuthorised
            case 403: reason == ErrorBody.credentialsExpired ? .notAuthorised : .forbidden
            case 404, 410: .notFound
            case 405, 501: .notSupported
            case 429: .tooManyRequests
            case 500...599: .serverError
            default: .unexpectedStatus
            }
        var error = HTTPError(
            code, message(status, at: address, reason: reason, wait: wait), status: status, reason: reason,
            retryAfter: wait)
        error.isMarkup = response.isMarkup
        return error
    }

    private static func message(_ status: Int, at address: WebAddress, reason: String?, wait: Duration?)
        -> String
    {
        let place = address.display
        let host = address.origin.display
        let detail = reason.map { " (\($0))" } ?? ""
        let waitText = wait.map { " and requests a wait of \($0.wholeSeconds) s" } ?? ""
        return switch status {
        case 401:
            "\(place) requires a login or a key (401)\(detail). Run mirror login, give another token, or check the key of the source."
        case 403 where reason == ErrorBody.credentialsExpired:
            "The login at \(host) has expired. Run mirror login."
        case 403 where reason == ErrorBody.readOnly:
            "The server at \(host) accepts no edits (read_only), because it serves a mirror. Edit the catalogue at its origin."
        case 403:
            "\(place) was refused (403)\(detail). Use a login or a key that has access, or try again later."
        case 404:
            "\(place) was not found (404)\(detail). Check the address and the name."
        case 410:
            "\(place) was permanently removed (410)\(detail). Ask the server's owner whether there is a new address."
        case 418:
            "\(host) refuses requests of this program (418)\(detail). Ask the server's owner to allow them before you try again."
        case 405, 501:
            "\(host) doesn't support this request (\(status) for \(place))."
        case 429:
            "\(place) refused the request, because there were too many (429)\(waitText). Try again later, or with fewer requests (--jobs, --rate)."
        case 500...599:
            "The server failed to answer the request for \(place) (\(status))\(detail). Try again later."
        default:
            "\(place) answered with the unexpected status \(status)\(detail). Check the address."
        }
    }

    /// Foreign text for a message: without control characters, and at most 200 characters long.
    static func clean(_ text: String) -> String {
        let visible = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        return String(String.UnicodeScalarView(visible.prefix(200)))
    }
}

/// A server's JSON error body, `{"error": "word"}`.
package enum ErrorBody {
    package static let credentialsExpired = "credentials_expired"
    /// How `mirror serve` answers edits.
    static let readOnly = "read_only"

    /// The error word; `nil` unless the body is a JSON object of at most 4 kB with a short one.
    package static func reason(_ body: [UInt8]) -> String? {
        guard body.count <= 4096,
            let word = try? JSONValue(parsing: body).objectValue?["error"]?.stringValue,
            (1...64).contains(word.utf8.count), URLCharacters.name.containsAll(of: word)
        else { return nil }
        return word
    }
}
