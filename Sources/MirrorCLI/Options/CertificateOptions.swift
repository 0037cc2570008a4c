import ArgumentParser
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync

/// The certificate authorities that a server's certificate is checked against, in place of the system's file of them.
struct CertificateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of certificate authorities (PEM) that vouch for the server, in place of the system's file; remembered. Default: CURL_CA_BUNDLE, else SSL_CERT_FILE and SSL_CERT_DIR, else the system's.",
            valueName: "file"))
    var caFile: String?

    /// The absolute path, which is remembered: the next run may start in another folder.
    var path: String? {
        caFile.map {
            URL(fileURLWithPath: NSString(string: $0).expandingTildeInPath).standardizedFileURL.path
        }
    }

    func validate() throws {
        if let path, let fault = Self.fault(in: path) { throw ValidationError(fault) }
    }

    /// The authorities of a run.
    ///
    /// - Parameter address: that of the server, if one is named.
    /// - Throws: ``CommandError`` for a remembered file that is no longer usable.
    func authorities(
        for folder: MirrorFolder, address: String?, isNewOrigin: Bool
    ) throws -> CertificateAuthorities {
        let remembered = try folder.rememberedServer()
        let originChanged = try Origins.originChanged(
            to: address, from: remembered.origin, of: folder.name, isNewOrigin: isNewOrigin)
        let file = Origins.caFile(
            named: path, remembered: remembered.caFile, originChanged: originChanged)
        guard let file else { return .named(in: ProcessInfo.processInfo.environment) }
        if let fault = Self.fault(in: file) {
            throw CommandError(.secret, "\(fault) Name another with --ca-file.")
        }
        return CertificateAuthorities(file: file)
    }

    /// Why a file can't be used; `nil` for one that has a certificate.
    static func fault(in path: String) -> String? {
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
