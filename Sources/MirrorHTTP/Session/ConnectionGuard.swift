import Synchronization

/// Judges the address that a host's name has really led to, at the moment of connecting.
///
/// ``AddressGuard`` looks a name up before it is asked, and the transport looks it up once more: a name that answers
/// differently the second time (DNS rebinding) is caught here. The origin itself may be anywhere; whether it is public is
/// learnt from its own connection. Behind a proxy every address is the proxy's, the origin's too, so nothing is refused.
///
/// For ``CurlTransport/Configuration/permitsAddress``; safe from any thread.
public final class ConnectionGuard: Sendable {
    private let origin: Origin?
    /// The origin's scheme, host and port as they begin the URLs of its requests.
    private let prefix: String
    private let isOriginPublic = Mutex<Bool?>(nil)

    /// - Parameter base: the origin's base, as the session has it.
    public init(base: String) {
        origin = WebAddress(base)?.origin
        prefix = origin.map { "\($0.scheme)://\($0.display)/" } ?? ""
    }

    /// Whether a request to `url` may be sent over a connection to that numeric address.
    public func permits(url: String, address: String) -> Bool {
        if !prefix.isEmpty, url.utf8.starts(with: prefix.utf8) { return learn(address) }
        if AddressRange.isPublic(address) { return true }
        if WebAddress(url)?.origin == origin { return learn(address) }
        return isOriginPublic.withLock { $0 } != true
    }

    private func learn(_ address: String) -> Bool {
        isOriginPublic.withLock { known in
            if known == nil { known = AddressRange.isPublic(address) }
        }
        return true
    }
}
