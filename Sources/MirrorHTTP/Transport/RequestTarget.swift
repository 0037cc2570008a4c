/// The parts of a request's URL that a transport must know before it sends: scheme, host, port.
///
/// Not a URL parser: the URL itself goes to the wire untouched. What can't be sent is refused here, before a
/// connection is spent on it: another scheme than http and https, a name or password in the URL, control characters.
struct RequestTarget: Sendable, Hashable {
    let isSecure: Bool
    /// Whether the host is this machine by name or address; a proxy from the environment never applies to it.
    let isLoopback: Bool
    /// Scheme and authority; connections are counted by it.
    let origin: String

    /// Host and port as written, in lower case: `127.0.0.1:8080`, `[::1]`.
    var authority: String { String(origin.dropFirst(isSecure ? 8 : 7)) }

    init(_ url: String) throws(TransportError) {
        var url = url
        let parts = url.withUTF8 { Parts($0) }
        guard let isSecure = parts.isSecure else {
            throw Self.refused("Only http and https URLs can be sent")
        }
        guard !parts.hasControl else {
            throw Self.refused("The URL holds a control character; percent-encode it")
        }
        guard !parts.hasCredentials else {
            throw Self.refused("The URL holds a name or password; send an Authorization field instead")
        }
        guard parts.hasHost else { throw Self.refused("The URL has no host") }
        self.isSecure = isSecure
        isLoopback = parts.isLoopback
        origin = parts.hasCapitals ? parts.origin.lowercased() : parts.origin
    }

    private static func refused(_ message: String) -> TransportError {
        TransportError(.unsupportedURL, message + ".", mayHaveReachedServer: false)
    }
}

/// One pass over a URL's bytes; a request's address is looked at for every one that is sent.
private struct Parts {
    var isSecure: Bool?
    var hasControl = false
    var hasCredentials = false
    var hasHost = false
    var hasCapitals = false
    var isLoopback = false
    var origin = ""

    init(_ url: UnsafeBufferPointer<UInt8>) {
        let start: Int
        if Self.begins(url, with: "https://") {
            (isSecure, start) = (true, 8)
        } else if Self.begins(url, with: "http://") {
            (isSecure, start) = (false, 7)
        } else {
            return
        }
        var end = start
        while end < url.count, !Self.endsAuthority(url[end]) {
            if url[end] == UInt8(ascii: "@") { hasCredentials = true }
            end += 1
        }
        for byte in url where byte < 0x20 || byte == 0x7F { hasControl = true }
        for byte in url[..<end] where byte >= 0x41 && byte <= 0x5A { hasCapitals = true }
        hasHost = end > start && url[start] != UInt8(ascii: ":")
        origin = String(decoding: url[..<end], as: UTF8.self)
        isLoopback = Self.isLoopback(UnsafeBufferPointer(rebasing: url[start..<end]))
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func isLoopback(_ authority: UnsafeBufferPointer<UInt8>) -> Bool {
        if begins(authority, with: "[::1]") { return true }
        let host = UnsafeBufferPointer(
            rebasing: authority[..<(authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.count)])
        if begins(host, with: "127.") {
            return host.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: ".") }
        }
        guard host.count >= 9 else { return false }
        let ending = UnsafeBufferPointer(rebasing: host[(host.count - 9)...])
        return begins(ending, with: "localhost")
            && (host.count == 9 || host[host.count - 10] == UInt8(ascii: "."))
    }

    /// Without regard to case; `wanted` is in lower case.
    private static func begins(_ text: UnsafeBufferPointer<UInt8>, with wanted: StaticString) -> Bool {
        let count = wanted.utf8CodeUnitCount
        guard text.count >= count else { return false }
        for index in 0..<count {
            let byte = text[index]
            let lowered = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            guard lowered == wanted.utf8Start[index] else { return false }
        }
        return true
    }
}
