import Synchronization

/// Decides which hosts beside the session's own origin may be asked for pictures and documents.
///
/// A server could otherwise have us fetch what only we can reach: addresses of this machine and its network are
/// refused, unless the origin itself is one. A name is judged by every address that it resolves to.
public struct AddressGuard: Sendable {
    /// The numeric addresses of a host name, as text; throws if there are none.
    public var resolve: @Sendable (_ host: String) async throws -> [String]

    /// Asks the system's resolver.
    public init() {
        self.init { try await HostResolver.addresses(of: $0) }
    }

    public init(resolve: @escaping @Sendable (_ host: String) async throws -> [String]) {
        self.resolve = resolve
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
