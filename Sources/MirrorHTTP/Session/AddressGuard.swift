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

extension InterceptableSession {
    /// Checks an address before it is asked. A host's verdict holds for a minute: thousands of pictures may lie there.
    ///
    /// The transport resolves the name once more by itself: what it then finds is for ``ConnectionGuard`` to judge.
    ///
    /// - Throws: ``HTTPError`` with code `forbiddenAddress`, or `unreachable` if the name doesn't resolve.
    func checkAddress(_ address: WebAddress) async throws {
        let target = address.origin
        guard target != origin else { return }
        let now = configuration.clock.elapsed()
        if checkedHosts.has(target, at: now) { return }
        guard try await configuration.addressGuard.allows(target, for: origin) else {
            throw HTTPError(
                .forbiddenAddress,
                "\(target.display) is an address of this machine or its network; a public server's files are not fetched from there."
            )
        }
        checkedHosts.add(target, at: now)
    }
}

/// Hosts beside the origin that may be asked, and until when that is known.
final class CheckedHosts: Sendable {
    private let allowed = Mutex<[Origin: Duration]>([:])

    func has(_ host: Origin, at now: Duration) -> Bool {
        allowed.withLock { $0[host].map { $0 > now } ?? false }
    }

    func add(_ host: Origin, at now: Duration) {
        allowed.withLock { hosts in
            if hosts.count >= 1000 { hosts = hosts.filter { $0.value > now } }
            if hosts.count < 1000 { hosts[host] = now + .seconds(60) }
        }
    }
}
