/// The parts of a request's URL that a transport must know before it sends: scheme, host, port.
///
/// Not a URL parser: the URL itself goes to the wire untouched. What can't be sent is refused here, before a
/// connection is spent on it: another scheme than http and https, a name or password in the URL, control characters.
struct RequestTarget: Sendable, Hashable {
    let isSecure: Bool
    /// Host and port as written, in lower case: `127.0.0.1:8080`, `[::1]`.
    let authority: String

    /// Scheme and authority; connections are counted by it.
    var origin: String { (isSecure ? "https://" : "http://") + authority }

    init(_ url: String) throws(TransportError) {
        var rest = url.utf8[...]
        if let after = Self.dropping("https://", from: rest) {
            isSecure = true
            rest = after
        } else if let after = Self.dropping("http://", from: rest) {
            isSecure = false
            rest = after
        } else {
            throw Self.refused("Only http and https URLs can be sent")
        }
        guard !url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Self.refused("The URL holds a control character; percent-encode it")
        }
        let authority = rest.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw Self.refused("The URL holds a name or password; send an Authorization field instead")
        }
        guard let text = String(authority), !text.isEmpty, text.utf8.first != UInt8(ascii: ":") else {
            throw Self.refused("The URL has no host")
        }
        self.authority = text.utf8.contains { $0 >= 0x41 && $0 <= 0x5A } ? text.lowercased() : text
    }

    /// Whether the host is this machine by name or address; a proxy from the environment never applies to it.
    var isLoopback: Bool {
        let host = Self.host(of: authority)
        let isAddress = host.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: ".") }
        return host == "localhost" || host == "[::1]" || host.hasSuffix(".localhost")
            || (isAddress && host.hasPrefix("127."))
    }

    private static func host(of authority: String) -> Substring {
        if authority.utf8.first == UInt8(ascii: "[") { return authority.prefix { $0 != "]" } + "]" }
        return authority.prefix { $0 != ":" }
    }

    private static func dropping(_ scheme: String, from url: Substring.UTF8View) -> Substring.UTF8View? {
        guard url.count >= scheme.utf8.count else { return nil }
        let matches = zip(url, scheme.utf8).allSatisfy { given, wanted in
            given == wanted || (given >= 0x41 && given <= 0x5A && given | 0x20 == wanted)
        }
        return matches ? url.dropFirst(scheme.utf8.count) : nil
    }

    private static func refused(_ message: String) -> TransportError {
        TransportError(.unsupportedURL, message + ".", mayHaveReachedServer: false)
    }
}
