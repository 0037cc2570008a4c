import Synchronization

/// Decides which hosts other than the session's origin may be requested for pictures and documents.
///
/// This prevents server-side request forgery: addresses of this machine and of private networks are refused, unless the
/// origin has such an address itself. All addresses of a host name must be allowed.
public struct AddressGuard: Sendable {
    /// Returns the numeric addresses of a host name as text; throws if there are none.
    public var resolve: @Sendable (_ host: String) async throws -> [String]

    /// Creates a guard.
    ///
    /// - Parameter resolve: Resolves host names. Default: the system's resolver.
    public init(resolve: (@Sendable (_ host: String) async throws -> [String])? = nil) {
        self.resolve = resolve ?? { try await HostResolver.addresses(of: $0) }
    }

    /// Whether a host may be requested because a response of `origin` refers to it.
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
                .unreachable,
                "The host name \(origin.display) can't be resolved. Check the address and the network.",
                cause: error)
        }
    }
}

/// Checks the numeric address of a connection before a request is sent over it.
///
/// ``AddressGuard`` resolves a host name before a request, and the transport resolves it again. This guard detects a host
/// name that resolves to another address the second time (DNS rebinding). The origin may have any address; its first
/// connection shows whether it is a public one. Behind a proxy all connections have the proxy's address, so nothing is
/// refused.
///
/// Use it for ``CurlTransport/Configuration/permitsAddress``. It may be called on any thread.
public final class ConnectionGuard: Sendable {
    private let origin: Origin?
    private let isOriginPublic = Mutex<Bool?>(nil)

    /// Creates a guard for one session.
    ///
    /// - Parameter base: The origin's base, as passed to the session.
    public init(base: String) { origin = WebAddress(base)?.origin }

    /// Whether a request to `url` may be sent over a connection to the numeric `address`.
    public func permits(url: String, address: String) -> Bool {
        let isPublic = AddressRange.isPublic(address)
        let isToOrigin = WebAddress(url)?.origin == origin
        return isOriginPublic.withLock { known in
            if isToOrigin { known = known ?? isPublic }
            return isToOrigin || isPublic || known != true
        }
    }
}
