import Synchronization

/// Decides which hosts beside the session's own origin may be asked for pictures and documents.
///
/// A server could otherwise make us fetch what only we can reach: addresses of this machine and its network are
/// refused, unless the origin has such an address itself. Every address of a name must be allowed.
public struct AddressGuard: Sendable {
    /// The numeric addresses of a host name, as text; throws if there are none.
    public var resolve: @Sendable (_ host: String) async throws -> [String]

    /// - Parameter resolve: default: the system's resolver.
    public init(resolve: (@Sendable (_ host: String) async throws -> [String])? = nil) {
        self.resolve = resolve ?? { try await HostResolver.addresses(of: $0) }
    }

    /// Whether an address may be asked on behalf of that origin.
    ///
    /// - Throws: ``HTTPError`` with code `unreachable` if a name doesn't resolve.
    func allows(_ target: Origin, for origin: Origin) async throws -> Bool {
        guard target != origin else { return true }
        let found = try await resolved(target)
        if found.allSatisfy({ AddressRange.isPublic($0) }) { return true }
        return try await !resolved(origin).contains { AddressRange.isPublic($0) }
    }

    private func resolved(_ origin: Origin) async throws -> [String] {
        do {
            return try await resolve(origin.host)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw HTTPError(
                .unreachable, "Can't find the host \(origin.display). Check the address and the network.",
                cause: error)
        }
    }
}

/// Checks the address that a host's name led to, at the moment of connecting.
///
/// ``AddressGuard`` looks a name up before it is asked, and the transport looks it up again: a name that has
/// another address the second time (DNS rebinding) is caught here. The origin itself may have any address; its own
/// connection shows whether that is a public one. Behind a proxy every address is the proxy's, so nothing is refused.
///
/// For ``CurlTransport/Configuration/permitsAddress``; safe from any thread.
public final class ConnectionGuard: Sendable {
    private let origin: Origin?
    private let isOriginPublic = Mutex<Bool?>(nil)

    /// - Parameter base: the origin's base, as the session has it.
    public init(base: String) { origin = WebAddress(base)?.origin }

    /// Whether a request to `url` may be sent over a connection to that numeric address.
    public func permits(url: String, address: String) -> Bool {
        let isPublic = AddressRange.isPublic(address)
        let isToOrigin = WebAddress(url)?.origin == origin
        return isOriginPublic.withLock { known in
            if isToOrigin { known = known ?? isPublic }
            return isToOrigin || isPublic || known != true
        }
    }
}
