#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

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
