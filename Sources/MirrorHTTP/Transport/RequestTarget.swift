/// The parts of a request's URL that a transport must know before it sends: scheme, host, port.
///
/// Not a URL parser: the URL itself goes to the wire untouched. What can't be sent is refused here, before a
/// connection is spent on it: another scheme than http and https, a name or password in the URL, control characters.
struct RequestTarget: Sendable, Hashable {
    let isSecure: Bool
    /// Whether the host is this machine by name or address; a proxy from the environment never applies to it.
    let isLoopback: Bool
    /// Scheme and authority in lower case; connections are counted by it.
    let origin: String

    /// Host and port as written, in lower case: `127.0.0.1:8080`, `[::1]`.
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
            throw TransportError(refused: "The URL holds a control character; percent-encode it")
        }
        guard !bytes[authority].contains(UInt8(ascii: "@")) else {
            throw TransportError(
                refused: "The URL holds a name or password; send an Authorization field instead")
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

/// Which hosts a transport may be asked to reach.
///
/// A request is judged by the host in its URL, before a name is looked up and before anything is sent. One that is refused
/// fails with ``TransportError/Code/cannotConnect``.
public struct AddressPolicy: Sendable {
    /// Called with the URL of each refused request; `nil` if every host is allowed.
    private let refused: (@Sendable (_ url: String) -> Void)?

    /// Every host. The default of the transports.
    public static let all = AddressPolicy(refused: nil)

    /// This machine alone: `localhost` and numeric loopback addresses. For tests.
    ///
    /// - Parameter refused: called with the URL of each request that is refused, from any task; a test fails there.
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
