/// Scheme, host and port of a request's URL, which a transport needs before it sends the request.
///
/// It isn't a URL parser, and the URL is sent unchanged. URLs that can't be sent are refused without a connection: those with
/// another scheme than http and https, with a name or password, or with control characters.
struct RequestTarget: Sendable, Hashable {
    let isSecure: Bool
    /// Whether the host is a loopback name or address. Such hosts are never requested through a proxy.
    let isLoopback: Bool
    /// Scheme and authority in lower case. Connections are counted by origin.
    let origin: String

    /// Host and port in lower case: `127.0.0.1:8080`, `[::1]`.
    var authority: String { String(origin.dropFirst(isSecure ? 8 : 7)) }

    init(_ url: String) throws(TransportError) {
        let bytes = Array(url.utf8)
        let authority = bytes.withUnsafeBufferPointer { URLParts($0).authority } ?? 0..<0
        let origin = FieldList.lowered(String(decoding: bytes[..<authority.upperBound], as: UTF8.self))
        let scheme = origin.prefix { $0 != ":" }
        guard scheme == "https" || scheme == "http" else {
            throw TransportError(refused: "Only http and https URLs can be sent")
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw TransportError(refused: "The URL contains a control character; percent-encode it")
        }
        guard !bytes[authority].contains(UInt8(ascii: "@")) else {
            throw TransportError(
                refused: "The URL contains a name or password; send an Authorization field instead")
        }
        guard let first = bytes[authority].first, first != UInt8(ascii: ":") else {
            throw TransportError(refused: "The URL has no host")
        }
        isSecure = scheme == "https"
        isLoopback = Self.isLoopback(origin.dropFirst(isSecure ? 8 : 7))
        self.origin = origin
    }

    private static func isLoopback(_ authority: Substring) -> Bool {
        if authority.hasPrefix("[::1]") { return true }
        let host = authority.prefix { $0 != ":" }
        if host.hasPrefix("127.") { return host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } }
        return host == "localhost" || host.hasSuffix(".localhost")
    }
}

/// The hosts that a transport may connect to.
///
/// The host in a request's URL is checked before it is resolved. A refused request fails with
/// ``TransportError/Code/cannotConnect``.
public struct AddressPolicy: Sendable {
    /// Called with the URL of each refused request; `nil` if every host is allowed.
    private let refused: (@Sendable (_ url: String) -> Void)?

    /// Allows every host; the default of the transports.
    public static let all = AddressPolicy(refused: nil)

    /// Allows only this machine: `localhost` and numeric loopback addresses. For tests.
    ///
    /// - Parameter refused: Called with the URL of each refused request, on any task. A test can record a failure in it.
    public static func loopback(refused: @escaping @Sendable (_ url: String) -> Void) -> AddressPolicy {
        AddressPolicy(refused: refused)
    }

    func check(_ target: RequestTarget, _ url: String) throws(TransportError) {
        guard let refused, !target.isLoopback else { return }
        refused(url)
        throw TransportError(
            .cannotConnect, "This transport may only reach this machine.", mayHaveReachedServer: false)
    }
}
