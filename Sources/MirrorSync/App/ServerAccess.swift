import Foundation
import MirrorHTTP
import MirrorStore

/// The standard access to a mirror's server: libcurl's transport, the standard interceptors, credentials and certificate
/// authorities.
///
/// Credentials and authorities are passed, or stored with the mirror. The commands and `MirrorFolder+Sync.swift` use it. An app
/// with its own transport makes a ``Sync`` with `makeSession` instead.
package struct ServerAccess: Sendable {
    let folder: MirrorFolder
    /// The address of this run; `nil` for the remembered one.
    let address: String?
    /// Whether ``address`` may be on another host than the remembered one.
    let isNewOrigin: Bool
    /// `nil` for those that `mirror login` stored for the server's host.
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

    /// Makes the session of a run.
    ///
    /// It is called when the mirror is open and its origin is known: authorities are remembered in the mirror, and credentials
    /// are for one host.
    ///
    /// - Throws: ``SyncError`` with code `secret` if the stored credentials or the file of authorities can't be used.
    package func session(base: String, cache: CanonicalURLCache?) throws -> InterceptableSession {
        let connections = ConnectionGuard(base: base)
        let configuration = CurlTransport.Configuration(
            maxRequestsPerHost: options.mostRequests,
            maxConnectionsPerHost: options.jobs ?? ConcurrencyLimit.start,
            maxRequests: 2 * options.mostRequests,
            authorities: try authorities(for: base),
            permitsAddress: { connections.permits(url: $0, address: $1) })
        return try InterceptableSession(
            base: base, transport: transport(configuration), cache: cache,
            interceptors: .standard(
                credentials: credentials ?? CredentialsFile(folder).credentials(for: base)),
            configuration: SessionConfiguration(concurrency: options.concurrency, userAgent: userAgent))
    }

    /// The certificate authorities of ``SyncOptions/caFile``, else those remembered for this server, else those that
    /// environment variables name.
    private func authorities(for base: String) throws -> CertificateAuthorities {
        let remembered = try folder.rememberedServer()
        let originChanged = Origins.originChanged(
            to: base, from: remembered.origin, isNewOrigin: isNewOrigin)
        let file = Origins.caFile(
            named: options.caFile, remembered: remembered.caFile, originChanged: originChanged)
        guard let file else { return .named(in: ProcessInfo.processInfo.environment) }
        if let fault = Self.fault(inAuthorities: file) {
            throw SyncError(.secret, "\(fault) Name another file with --ca-file.")
        }
        return CertificateAuthorities(file: file)
    }

    /// Why a file of certificate authorities can't be used, in a sentence; `nil` if it contains a certificate.
    package static func fault(inAuthorities path: String) -> String? {
        guard let content = FileManager.default.contents(atPath: path) else {
            return "The file of certificate authorities \(path) doesn't exist, or can't be read."
        }
        let certificates = ["-----BEGIN CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----"]
        guard certificates.contains(where: { content.range(of: Data($0.utf8)) != nil }) else {
            return "\(path) has no certificate in PEM form (\(certificates[0]))."
        }
        return nil
    }
}
