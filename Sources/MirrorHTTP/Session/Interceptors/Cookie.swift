import Foundation

/// A cookie as a user agent keeps it (RFC 6265), always bound to the one host that set it.
package struct Cookie: Sendable, Hashable {
    package let name: String
    package let value: String
    let origin: Origin
    private(set) var path: String
    private(set) var isSecure = false
    /// `nil`: as long as the session lives.
    private(set) var expires: Date?

    /// Reads one `Set-Cookie`; `nil` for one that must be ignored.
    ///
    /// A `Domain` doesn't widen it: credentials go to the host that gave them and to no other.
    ///
    /// - Parameter sent: when the answer was made, by the server's clock. `Expires` counts from it, as in browsers: that
    ///   clock need not be ours. `nil` takes ours for it.
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

    /// Whether it is sent with a request for that address (section 5.4).
    package func goes(to address: WebAddress, now: Date) -> Bool {
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

    /// Section 5.1.4: the request's path up to, but not including, its last slash.
    private static func defaultPath(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

/// The cookies of one session: in memory only.
package struct CookieJar: Sendable {
    private var cookies: [Cookie] = []

    package init() {}

    package mutating func take(_ headers: HeaderFields, from address: WebAddress, now: Date) {
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

    /// The value of `Cookie` for a request, longer paths first; `nil` without any.
    package func header(for address: WebAddress, now: Date) -> String? {
        let going = cookies.filter { $0.goes(to: address, now: now) }
            .sorted { $0.path.utf8.count > $1.path.utf8.count }
        return going.isEmpty ? nil : going.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}
