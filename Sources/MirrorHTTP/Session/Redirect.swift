/// What a request is on its way: changed by redirects, and the same for every attempt between two of them.
package struct Hop: Sendable, Hashable {
    package var method: String
    package var address: WebAddress
    package var headers: HeaderFields
    package var body: [UInt8]?
    package var isIdempotent: Bool

    package init(
        method: String, address: WebAddress, headers: HeaderFields, body: [UInt8]?, isIdempotent: Bool
    ) {
        self.method = method
        self.address = address
        self.headers = headers
        self.body = body
        self.isIdempotent = isIdempotent
    }
}

/// What to do about an answer that may be a redirect.
package enum Redirect: Sendable {
    case none
    case follow(Hop)
    case refuse(HTTPError)

    /// Decides it (RFC 9110, section 15.4): never from https to http, never to another host unless the request allows
    /// it and carries no body, and never with credentials there.
    package static func decide(
        status: Int, location: String?, from hop: Hop, mayLeaveOrigin: Bool, followed: Int, limit: Int
    ) -> Redirect {
        guard isRedirect(status), let location else { return .none }
        func refused(_ why: String) -> Redirect {
            .refuse(HTTPError(.invalidRedirect, "\(hop.address.display) \(why)", status: status))
        }
        guard followed < limit else {
            return refused("redirects more than \(limit) times. Check the address.")
        }
        guard let address = hop.address.resolving(location) else {
            return refused("redirects to something that is no web address. Check the address.")
        }
        var next = hop
        next.address = address
        if changesToGet(status: status, method: hop.method) {
            next.method = "GET"
            next.body = nil
            next.isIdempotent = true
            for name in ["Content-Type", "Content-Length", "Idempotency-Key"] { next.headers[name] = nil }
        }
        if hop.address.origin.isSecure && !address.origin.isSecure {
            return refused("redirects from https to http, which would give the connection's secrecy away.")
        }
        if address.origin != hop.address.origin {
            guard mayLeaveOrigin, next.body == nil else {
                return refused(
                    "redirects to another host, \(address.origin.display). If that is right, give that address instead."
                )
            }
            for name in credentialNames { next.headers[name] = nil }
        }
        return .follow(next)
    }

    /// Whether an answer with that status and a `Location` is to be followed.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Header fields that must not reach another host.
    package static let credentialNames = ["Authorization", "Proxy-Authorization", "Cookie", "X-Access-Token"]

    private static func changesToGet(status: Int, method: String) -> Bool {
        switch status {
        case 303: method != "GET" && method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }
}
