import Catalogue
import Foundation

/// Why a request failed: what happened, and what a person can do about it.
///
/// No message holds a query, a credential, or a control character that a server sent.
public struct HTTPError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The caller's address or request is malformed; nothing was sent.
        case invalidAddress, invalidRequest
        case unreachable, badCertificate, timedOut, connectionLost
        /// 401 (and 403 `credentials_expired`): log in, or give another token.
        case notAuthorised
        /// 403 for another reason.
        case forbidden
        /// 404, or 410: it is gone.
        case notFound
        /// 405 or 501: this server doesn't have it.
        case notOffered
        case tooManyRequests
        /// 5xx.
        case serverError
        /// Any other status that isn't 2xx.
        case unexpectedStatus
        case tooLarge, invalidRedirect
        /// A picture's or document's address that must not be asked (private, loopback, not HTTP).
        case forbiddenAddress
        /// What came isn't HTTP, or isn't what the content should be (HTML instead of JSON, a body that can't be decoded).
        case badResponse, notJSON
        /// A downloaded file isn't what was announced.
        case wrongLength, wrongDigest, wrongSignature
        /// A file could not be written.
        case file
    }

    public let code: Code
    /// One sentence or two, for a person.
    public let message: String
    public let cause: (any Error)?
    /// The status that the server answered, if it did.
    public let status: Int?
    /// The `error` word of a JSON error body (such as `since_too_old`); letters, digits, `_`, `-` and `.` only.
    public let reason: String?
    /// How long the server asked to wait.
    public let retryAfter: Duration?

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

    public var description: String { message }

    /// Whether the server doesn't have such a thing at all: 404, 405 or 501.
    public var isNotOffered: Bool { status == 404 || status == 405 || status == 501 }

    /// Whether the same request may succeed later.
    public var isWorthRetry: Bool {
        if let status { return Self.isWorthRetry(status: status) }
        switch code {
        case .unreachable, .timedOut, .connectionLost: return true
        // A body that was damaged on its way, not one that is always wrong.
        case .badResponse: return (cause as? TransportError)?.isWorthRetry ?? false
        default: return false
        }
    }

    /// Whether a status says "not now" rather than "no".
    package static func isWorthRetry(status: Int) -> Bool {
        [408, 429, 500, 502, 503, 504].contains(status)
    }
}

/// The messages for failures of a transport and for answers of a server, each with a remedy.
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
            "\(address.display) can't be asked: only http and https can. Check the address."
        case .cannotResolveHost:
            "Can't find the host \(address.origin.host). Check the address and the network."
        case .cannotConnect:
            "Can't reach \(host): no connection could be made. Check the address and that the server runs."
        case .connectTimedOut:
            "Can't reach \(host): it doesn't answer. Check the address and the network."
        case .cannotConnectByProxy:
            "\(host) can't be reached through its proxy (\(what)). Check that the proxy runs and lets this host through, or name the host in no_proxy."
        case .badCertificate:
            "The certificate of \(host) can't be trusted (\(what)). Check the address and this computer's clock. If an authority of the museum's own vouches for it, name the file of its certificate with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or its folder with SSL_CERT_DIR."
        case .untrustedProxy:
            "The certificate of the proxy to \(host) can't be trusted (\(what)). Check the proxy's address and this computer's clock. If an authority of your own vouches for it, name the file of its certificate with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or its folder with SSL_CERT_DIR."
        case .unreadableAuthorities:
            "The certificate of \(host) can't be checked, as the certificate authorities can't be read (\(what)). Name a file of certificates in PEM form with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or none."
        case .idleTimedOut, .timedOut:
            "\(address.display) took too long to answer. Try again later."
        case .connectionLost:
            "The connection to \(host) broke. Try again."
        case .truncatedBody:
            "\(address.display) ended before all of it had come. Try again."
        case .bodyTooLarge, .headersTooLarge:
            "\(address.display) sent more than the limit allows. Check the address."
        case .unknownCoding:
            "\(address.display) can't be read. \(what) Ask the server's owner to send gzip or no coding."
        case .brokenCoding:
            "\(address.display) can't be read. \(what) Try again; if it stays so, report it to the server's owner."
        case .badResponse:
            "\(host) doesn't answer as a web server does. Check the address and its port."
        }
    }

    /// The error for an answer whose status isn't 2xx.
    ///
    /// - Parameter now: by our clock; see ``RetryAfter``.
    package static func from(_ response: Response, at address: WebAddress, now: Date) -> HTTPError {
        let status = response.status
        let reason = ErrorBody.reason(response.body)
        let wait = RetryAfter.wait(response.headers, now: now)
        let code: Code =
            switch status {
            case 401: .notAuthorised
            case 403: reason == ErrorBody.credentialsExpired ? .notAuthorised : .forbidden
            case 404, 410: .notFound
            case 405, 501: .notOffered
            case 429: .tooManyRequests
            case 500...599: .serverError
            default: .unexpectedStatus
            }
        return HTTPError(
            code, message(status, at: address, reason: reason, wait: wait), status: status, reason: reason,
            retryAfter: wait)
    }

    private static func message(_ status: Int, at address: WebAddress, reason: String?, wait: Duration?)
        -> String
    {
        let place = address.display
        let host = address.origin.display
        let said = reason.map { " (\($0))" } ?? ""
        let long = wait.map { " and wants a wait of \($0.wholeSeconds) s" } ?? ""
        return switch status {
        case 401:
            "\(place) wants a login\(said). Run mirror login, or give another token."
        case 403 where reason == ErrorBody.credentialsExpired:
            "The login at \(host) has expired. Run mirror login."
        case 403 where reason == ErrorBody.readOnly:
            "The server at \(host) takes no edits (read_only). Make them where its own catalogue is kept."
        case 403:
            "\(place) is not allowed for this login\(said). Use one for which it is."
        case 404:
            "\(place) isn't there (404)\(said). Check the address and the partner's name."
        case 410:
            "\(place) is gone for good (410)\(said). Ask the partner whether the catalogue has another address now."
        case 418:
            "\(host) refuses to serve this program (418)\(said). Ask the partner to let it in before you try again."
        case 405, 501:
            "\(host) doesn't offer this (\(status) for \(place))."
        case 429:
            "\(place) asks to slow down (429)\(long). Try later, or with fewer jobs."
        case 500...599:
            "\(place) failed at the server (\(status))\(said). Try again later."
        default:
            "\(place) answered \(status)\(said), which is no usable answer."
        }
    }

    /// Without control characters, and shortened: for text that isn't ours.
    static func clean(_ text: String) -> String {
        let visible = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        return String(String.UnicodeScalarView(visible.prefix(200)))
    }
}

/// A server's `{"error": "word"}`.
package enum ErrorBody {
    package static let credentialsExpired = "credentials_expired"
    /// The answer of a served mirror to edits.
    static let readOnly = "read_only"

    /// The word, if the body is a small JSON object with one; other text is never shown.
    package static func reason(_ body: [UInt8]) -> String? {
        guard body.count <= 4096,
            let word = try? JSONValue(parsing: body).objectValue?["error"]?.stringValue,
            (1...64).contains(word.utf8.count), URLCharacters.name.containsAll(of: word)
        else { return nil }
        return word
    }
}
