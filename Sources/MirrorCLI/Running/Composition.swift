import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import MirrorSync

/// The composition root: the one place where a sync's transport, policies and clock are chosen.
struct Composition: Sendable {
    /// Shown by `mirror --version`, and sent as the user agent.
    static let version = "0.1.0"

    let screen: Screen

    var logger: Logger { Logger(label: "mirror") { _ in ScreenLog(screen) } }

    /// Makes the session of a sync: libcurl, and the standard interceptors.
    ///
    /// - Parameters:
    ///   - jobs: requests at once.
    ///   - authorities: asked for when the mirror is open, as some are remembered in it.
    ///   - credentials: chosen when the origin is known, as what is kept belongs to one host.
    func session(
        jobs: Int, authorities: @escaping @Sendable () throws -> CertificateAuthorities,
        credentials: @escaping @Sendable (_ base: String) throws -> Credentials
    ) -> @Sendable (String, CanonicalURLCache?) throws -> InterceptableSession {
        CurlTransport.prepare()
        return { base, cache in
            let connections = ConnectionGuard(base: base)
            let transport = CurlTransport(
                .init(
                    maxConnectionsPerHost: jobs, maxConnections: max(64, jobs),
                    authorities: try authorities(),
                    permitsAddress: { connections.permits(url: $0, address: $1) }))
            return try InterceptableSession(
                base: base, transport: transport, cache: cache,
                interceptors: .standard(credentials: try credentials(base)),
                configuration: SessionConfiguration(userAgent: "mirror/\(Composition.version)"))
        }
    }
}
