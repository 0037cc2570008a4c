/// Computes the request that follows a redirect (RFC 9110, section 15.4).
package enum Redirect {
    /// The next request and its address; `nil` if the response isn't a redirect.
    ///
    /// - A redirect from https to http is never followed.
    /// - A redirect to another host is only followed if the request allows it and has no body. It never gets credentials.
    ///
    /// - Parameters:
    ///   - followed: The number of redirects followed so far.
    ///   - limit: The maximum number of redirects.
    /// - Throws: ``HTTPError`` with code `invalidRedirect` for a redirect that must not be followed.
    package static func next(
        after response: ResponseHead, to request: Request, at address: WebAddress, followed: Int, limit: Int
    ) throws -> (request: Request, address: WebAddress)? {
        let status = response.status
        guard [301, 302, 303, 307, 308].contains(status), let location = response.headers["Location"] else {
            return nil
        }
        func refusal(_ why: String) -> HTTPError {
            HTTPError(.invalidRedirect, "\(address.display) \(why)", status: status)
        }
        guard followed < limit else {
            throw refusal("redirects more than \(limit) times. Check the address.")
        }
        guard let target = address.resolving(location) else {
            throw refusal("redirects to something that isn't a web address. Check the address.")
        }
        if address.origin.isSecure && !target.origin.isSecure {
            throw refusal(
                "redirects from https to http, which would send the request unencrypted. Report it to the server's owner."
            )
        }
        var next = request
        if changesToGet(status: status, method: request.method) {
            next.method = "GET"
            next.body = nil
            next.isIdempotent = true
            for name in ["Content-Type", "Content-Length", "Idempotency-Key"] { next.headers[name] = nil }
        }
        if target.origin != address.origin {
            guard request.mayLeaveOrigin, next.body == nil else {
                throw refusal(
                    "redirects to another host, \(target.origin.display). If that host is the right one, use its address instead."
                )
            }
            removeCredentials(&next.headers)
        }
        return (next, target)
    }

    /// The names of header fields that must not be sent to another host.
    package static let credentialNames = ["Authorization", "Proxy-Authorization", "Cookie", "X-Access-Token"]

    static func removeCredentials(_ headers: inout HeaderFields) {
        for name in credentialNames { headers[name] = nil }
    }

    private static func changesToGet(status: Int, method: String) -> Bool {
        switch status {
        case 303: method != "GET" && method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }
}
