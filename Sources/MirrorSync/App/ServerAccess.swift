import Foundation
import MirrorHTTP
import MirrorStore

/// How a mirror's server is reached in the usual way: by libcurl's transport, with the standard interceptors, the credentials
/// and the certificate authorities that are given or stored with the mirror.
///
/// The command uses it, and so does a mirror in an app (`MirrorFolder+Sync.swift`). What has a transport of its own makes a
/// ``Sync`` with `makeSession` instead.
package struct ServerAccess: Sendable {
    let folder: MirrorFolder
    /// The address that was named for this run; `nil` for the remembered one.
    let address: String?
    /// Whether ``address`` may be on another host than the remembered one.
    let isNewOrigin: Bool
    /// `nil` for what `mirror login` stored in the mirror's folder for the server's host.
    let credentials: Credentials?
    let options: SyncOptions
    let userAgent: String
    var transport: @Sendable (CurlTransport.Configuration) -> any Transport = { CurlTransport($0) }

    package init(
        folder: MirrorFolder, address: String?, isNewOrigin: Bool, credentials: Credentials?,
        options: SyncOptions, userAgent: String
    ) {
        self.folder = folder
        self.address = address
        self.isNewOrigin = isNewOrigin
        self.credentials = credentials
        self.options = options
        self.userAgent = userAgent
    }

    /// Makes a run's session, once the mirror is open and its origin is known: authorities are remembered in the mirror, and
    /// credentials belong to one host.
    ///
    /// - Throws: ``SyncError`` with code `secret` for stored credentials, or a file of authorities, that can't be used.
    package func session(base: String, cache: CanonicalURLCache?) throws -> InterceptableSession {
        let connections = ConnectionGuard(base: base)
        let configuration = CurlTransport.Configuration(
            maxConnectionsPerHost: options.jobs, maxConnections: max(64, options.jobs),
            authorities: try authorities(),
            permitsAddress: { connections.permits(url: $0, address: $1) })
        return try InterceptableSession(
            base: base, transport: transport(configuration), cache: cache,
            interceptors: .standard(
                credentials: credentials ?? CredentialsFile(folder).credentials(for: base)),
            configuration: SessionConfiguration(userAgent: userAgent))
    }

    /// The authorities that are given (``SyncOptions/caFile``), else those that are remembered for this server, else those of
    /// the environment.
    private func authorities() throws -> CertificateAuthorities {
        let remembered = try folder.rememberedServer()
        let originChanged = try Origins.originChanged(
            to: address, from: remembered.origin, of: folder.name, isNewOrigin: isNewOrigin)
        let file = Origins.caFile(
            named: options.caFile, remembered: remembered.caFile, originChanged: originChanged)
        guard let file else { return .named(in: ProcessInfo.processInfo.environment) }
        if let fault = Self.fault(inAuthorities: file) {
            throw SyncError(.secret, "\(fault) Name another with --ca-file.")
        }
        return CertificateAuthorities(file: file)
    }

    /// Why a file of certificate authorities can't be used; `nil` for one that has a certificate.
    package static func fault(inAuthorities path: String) -> String? {
        guard let content = FileManager.default.contents(atPath: path) else {
            return "The file of certificate authorities \(path) can't be read, or isn't there."
        }
        let certificates = ["-----BEGIN CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----"]
        guard certificates.contains(where: { content.range(of: Data($0.utf8)) != nil }) else {
            return "\(path) has no certificate in PEM form (\(certificates[0]))."
        }
        return nil
    }
}
