/// Where redirects lead (RFC 9110, section 15.4).
package enum Redirect {
    /// The request to send next, and its address; `nil` for an answer that is no redirect.
    ///
    /// Never from https to http, never to another host unless the request allows it and carries no body, and never with
    /// credentials there.
    ///
    /// - Throws: ``HTTPError`` with code `invalidRedirect` for one that must not be followed.
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
            throw refusal("redirects to something that is no web address. Check the address.")
        }
        if address.origin.isSecure && !target.origin.isSecure {
            throw refusal("redirects from https to http, which would give the connection's secrecy away.")
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
                    "redirects to another host, \(target.origin.display). If that is right, give that address instead."
                )
            }
            removeCredentials(&next.headers)
        }
        return (next, target)
    }

    /// Header fields that must not reach another host.
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
