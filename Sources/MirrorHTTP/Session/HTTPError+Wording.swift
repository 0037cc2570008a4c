import Foundation

/// The words for what a transport or a server said. Facts come in; sentences with a remedy go out.
extension HTTPError {
    /// What a transport met on the way to an address.
    package static func from(_ error: TransportError, at address: WebAddress) -> HTTPError {
        let host = address.origin.display
        func make(_ code: Code, _ message: String) -> HTTPError { HTTPError(code, message, cause: error) }
        switch error.code {
        case .unsupportedURL:
            return make(
                .invalidAddress,
                "\(address.display) can't be asked: only http and https can. Check the address.")
        case .cannotResolveHost:
            return make(
                .unreachable, "Can't find the host \(address.origin.host). Check the address and the network."
            )
        case .cannotConnect:
            return make(
                .unreachable,
                "Can't reach \(host): no connection could be made. Check the address and that the server runs."
            )
        case .connectTimedOut:
            return make(
                .unreachable, "Can't reach \(host): it doesn't answer. Check the address and the network.")
        case .cannotConnectByProxy:
            return make(
                .unreachable,
                "\(host) can't be reached through its proxy (\(clean(error.message))). Check that the proxy runs and lets this host through, or name the host in no_proxy."
            )
        case .badCertificate:
            return make(
                .badCertificate,
                "The certificate of \(host) can't be trusted (\(clean(error.message))). Check the address and this computer's clock. If an authority of the museum's own vouches for it, name the file of its certificate with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or its folder with SSL_CERT_DIR."
            )
        case .untrustedProxy:
            return make(
                .badCertificate,
                "The certificate of the proxy to \(host) can't be trusted (\(clean(error.message))). Check the proxy's address and this computer's clock. If an authority of your own vouches for it, name the file of its certificate with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or its folder with SSL_CERT_DIR."
            )
        case .unreadableAuthorities:
            return make(
                .badCertificate,
                "The certificate of \(host) can't be checked, as the certificate authorities can't be read (\(clean(error.message))). Name a file of certificates in PEM form with --ca-file, CURL_CA_BUNDLE or SSL_CERT_FILE, or none."
            )
        case .idleTimedOut, .timedOut:
            return make(.timedOut, "\(address.display) took too long to answer. Try again later.")
        case .connectionLost:
            return make(.connectionLost, "The connection to \(host) broke. Try again.")
        case .truncatedBody:
            return make(.connectionLost, "\(address.display) ended before all of it had come. Try again.")
        case .bodyTooLarge, .headersTooLarge:
            return make(.tooLarge, "\(address.display) sent more than the limit allows. Check the address.")
        case .unknownCoding:
            return make(
                .badResponse,
                "\(address.display) can't be read. \(clean(error.message)) Ask the server's owner to send gzip or no coding."
            )
        case .brokenCoding:
            return make(
                .badResponse,
                "\(address.display) can't be read. \(clean(error.message)) Try again; if it stays so, report it to the server's owner."
            )
        case .badResponse:
            return make(
                .badResponse, "\(host) doesn't answer as a web server does. Check the address and its port.")
        }
    }

    /// A status that isn't 2xx.
    package static func from(
        status: Int, headers: HeaderFields, body: [UInt8], at address: WebAddress, now: Date
    )
        -> HTTPError
    {
        let place = address.display
        let reason = ErrorBody.reason(body)
        let wait = RetryAfter.wait(headers, now: now)
        func make(_ code: Code, _ message: String) -> HTTPError {
            HTTPError(code, message, status: status, reason: reason, retryAfter: wait)
        }
        let said = reason.map { " (\($0))" } ?? ""
        switch status {
        case 401:
            return make(
                .notAuthorised, "\(place) wants a login\(said). Run mirror login, or give another token.")
        case 403 where reason == ErrorBody.credentialsExpired:
            return make(
                .notAuthorised, "The login at \(address.origin.display) has expired. Run mirror login.")
        case 403 where reason == ErrorBody.readOnly:
            return make(
                .forbidden,
                "The server at \(address.origin.display) takes no edits (read_only). Make them where its own catalogue is kept."
            )
        case 403:
            return make(.forbidden, "\(place) is not allowed for this login\(said). Use one for which it is.")
        case 404:
            return make(
                .notFound,
                "\(place) isn't there (404)\(said). Check the address and the partner's name.")
        case 410:
            return make(
                .notFound,
                "\(place) is gone for good (410)\(said). Ask the partner whether the catalogue has another address now."
            )
        case 418:
            return make(
                .unexpectedStatus,
                "\(address.origin.display) refuses to serve this program (418)\(said). Ask the partner to let it in before you try again."
            )
        case 405, 501:
            return make(.notOffered, "\(address.origin.display) doesn't offer this (\(status) for \(place)).")
        case 429:
            let long = wait.map { " and wants a wait of \($0.wholeSeconds) s" } ?? ""
            return make(
                .tooManyRequests, "\(place) asks to slow down (429)\(long). Try later, or with fewer jobs.")
        case 500...599:
            return make(.serverError, "\(place) failed at the server (\(status))\(said). Try again later.")
        default:
            return make(.unexpectedStatus, "\(place) answered \(status)\(said), which is no usable answer.")
        }
    }

    /// Without control characters, and not endlessly long: for words that aren't ours.
    static func clean(_ text: String) -> String {
        let visible = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        return String(String.UnicodeScalarView(visible.prefix(200)))
    }
}

/// A server's `{"error": "word"}`.
package enum ErrorBody {
    package static let credentialsExpired = "credentials_expired"
    /// What a mirror that is served says to edits.
    static let readOnly = "read_only"

    /// The word, if the body is a small JSON object with one; other text never gets out.
    package static func reason(_ body: [UInt8]) -> String? {
        guard body.count <= 4096, body.contains(UInt8(ascii: "{")),
            let object = try? JSONDecoder().decode(Shape.self, from: Data(body)),
            let word = object.error, (1...64).contains(word.utf8.count),
            word.utf8.allSatisfy(isPlain)
        else { return nil }
        return word
    }

    private struct Shape: Decodable { let error: String? }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E: true
        default: false
        }
    }
}
