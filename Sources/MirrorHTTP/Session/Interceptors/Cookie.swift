import Foundation

/// A stored cookie (RFC 6265), always bound to the host that set it.
package struct Cookie: Sendable, Hashable {
    package let name: String
    package let value: String
    let origin: Origin
    private(set) var path: String
    private(set) var isSecure = false
    /// `nil` for a session cookie.
    private(set) var expires: Date?

    /// Parses a `Set-Cookie` value; `nil` if the cookie must be ignored.
    ///
    /// `Domain` is ignored: credentials are only sent to the host that set them.
    ///
    /// - Parameters:
    ///   - sent: The `Date` of the response. `Expires` is relative to it, as in browsers, because the server's clock may
    ///     differ from the local one. `nil`, the default, uses `now`.
    ///   - now: The time by the local clock.
    package init?(setCookie: String, from address: WebAddress, sent: Date? = nil, now: Date) {
        let parts = setCookie.split(separator: ";", omittingEmptySubsequences: false).map {
            String($0).trimmed
        }
        guard let (name, value) = Self.pair(parts.first ?? ""), !name.isEmpty,
            (name + value).utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ";") })
        else { return nil }
        self.name = name
        self.value = value
        origin = address.origin
        path = Self.defaultPath(address.path)
        var maxAge: Date?
        for part in parts.dropFirst() {
            let (key, text) = Self.pair(part) ?? (part, "")
            switch key.lowercased() {
            case "path" where text.hasPrefix("/"): path = text
            case "secure": isSecure = true
            case "expires":
                expires = HTTPDate.date(text).map {
                    now.addingTimeInterval($0.timeIntervalSince(sent ?? now))
                }
            case "max-age": maxAge = Double(text).map { now.addingTimeInterval($0) }
            default: break
            }
        }
        expires = maxAge ?? expires
        guard !isSecure || origin.isSecure else { return nil }
    }

    /// Whether the cookie is sent with a request for the address (RFC 6265, section 5.4).
    package func isSent(to address: WebAddress, now: Date) -> Bool {
        guard origin.host == address.origin.host, origin.port == address.origin.port,
            !isSecure || address.origin.isSecure, expires.map({ $0 > now }) ?? true
        else { return false }
        let path = address.path
        guard path.hasPrefix(self.path) else { return false }
        let rest = path.dropFirst(self.path.count)
        return rest.isEmpty || self.path.hasSuffix("/") || rest.hasPrefix("/")
    }

    private static func pair(_ text: String) -> (String, String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        return (String(text[..<equals]).trimmed, String(text[text.index(after: equals)...]).trimmed)
    }

    /// The default path: the request's path up to its last slash, without it (RFC 6265, section 5.1.4).
    private static func defaultPath(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

/// The cookies of one session, in memory only.
package struct CookieJar: Sendable {
    private var cookies: [Cookie] = []

    package init() {}

    /// Stores the cookies that a response sets.
    package mutating func store(_ headers: HeaderFields, from address: WebAddress, now: Date) {
        for line in headers.values(of: "Set-Cookie") {
            guard let cookie = Cookie(setCookie: line, from: address, sent: headers.date, now: now) else {
                continue
            }
            cookies.removeAll {
                $0.name == cookie.name && $0.path == cookie.path && $0.origin == cookie.origin
            }
            if cookie.expires.map({ $0 > now }) ?? true { cookies.append(cookie) }
        }
    }

    /// The `Cookie` value for a request, cookies with longer paths first; `nil` if there is no cookie to send.
    package func header(for address: WebAddress, now: Date) -> String? {
        let sent = cookies.filter { $0.isSent(to: address, now: now) }
            .sorted { $0.path.utf8.count > $1.path.utf8.count }
        return sent.isEmpty ? nil : sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}
