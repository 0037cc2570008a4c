/// Names and addresses of the web.
extension DescriptionNode {
    /// The address of a page, such as the museum's website.
    func webAddress() throws(SourceDescriptionError) -> String {
        try text("an address that begins with https:// or http://") { WebAddress($0)?.isPage == true }
    }

    /// An address that paths are appended to, without the slash at its end.
    func baseAddress() throws(SourceDescriptionError) -> WebAddress {
        let text = try text()
        guard let address = WebAddress(text) else {
            throw failure(
                "\(path) must be an address such as https://api.museum.org/v1, with a host in lower case, but it is \(text.quoted)."
            )
        }
        guard !text.contains(where: "?#{}".contains) else {
            throw failure(
                "\(path) can't have a query or placeholders. Write them in the key \"get\" of a list or object."
            )
        }
        return address
    }

    /// The name of a host.
    func host() throws(SourceDescriptionError) -> String {
        let text = try text()
        guard !WebAddress.isHost(text) else { return text }
        let lowercase = (WebAddress(text.lowercased())?.host ?? text.lowercased())
        let hint =
            WebAddress.isHost(lowercase) ? "Write \(lowercase)." : "Write a name such as images.museum.org."
        throw failure("\(path) contains host names only, in lower case, but this is \(text.quoted). \(hint)")
    }

    /// The name of a header field or query item.
    func fieldName() throws(SourceDescriptionError) -> String {
        try text("a name of letters, digits, hyphens and underscores", where: Self.isFieldName)
    }

    static func isFieldName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2D || $0 == 0x5F }
    }
}

/// An absolute address, divided as far as a description needs it.
struct WebAddress {
    /// The address without the slash at its end.
    let text: String
    /// The host's name, or an IPv6 address in brackets.
    let host: String
    /// What follows the host and the port; empty or with a slash, `?` or `#` at its beginning.
    let rest: Substring

    /// `nil` for anything but `http` or `https`, for a host that isn't in lower case, and for a user name or password.
    init?(_ text: String) {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix),
            text.utf8.allSatisfy({ URLTemplate.isLiteral($0) || $0 == UInt8(ascii: "#") })
        else { return nil }
        let behind = text.dropFirst(scheme.count)
        let authority = behind.prefix { !"/?#".contains($0) }
        guard let (host, port) = Self.divided(authority) else { return nil }
        if let port {
            guard (1...5).contains(port.utf8.count), let number = UInt16(port), number > 0 else { return nil }
        }
        self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.host = host
        rest = behind.dropFirst(authority.count)
    }

    /// Whether nobody on the way can read or change what is sent.
    var isSecure: Bool { text.hasPrefix("https://") }

    /// Whether a browser can open it.
    var isPage: Bool { !text.contains { "{}".contains($0) } }

    private static func divided(_ authority: Substring) -> (host: String, port: Substring?)? {
        let end =
            authority.first == "["
            ? authority.firstIndex(of: "]").map(authority.index(after:)) ?? authority.endIndex
            : authority.firstIndex(of: ":") ?? authority.endIndex
        let host = String(authority[..<end]), rest = authority[end...]
        guard isHost(host) || isIPv6(host), rest.isEmpty || rest.first == ":" else { return nil }
        return (host, rest.isEmpty ? nil : rest.dropFirst())
    }

    private static func isIPv6(_ host: String) -> Bool {
        host.hasPrefix("[") && host.hasSuffix("]") && host.contains(":")
            && host.dropFirst().dropLast().allSatisfy("0123456789abcdef:.".contains)
    }

    /// Whether a text is the name of a host, in lower case, or an IPv4 address.
    static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        $0.isLetterOrDigit && !(0x41...0x5A).contains($0) || $0 == 0x2D
                    }
            }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter or digit.
    var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
