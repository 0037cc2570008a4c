import ArgumentParser
import Foundation
import MirrorSync

/// The certificate authorities that a server's certificate is checked against.
struct CertificateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of certificate authorities (PEM) to use instead of the system's; remembered. Default: CURL_CA_BUNDLE, else SSL_CERT_FILE and SSL_CERT_DIR, else the system's.",
            valueName: "file"))
    var caFile: String?

    /// The absolute path: it is remembered, and the next run may start in another folder.
    var path: String? {
        caFile.map {
            URL(fileURLWithPath: NSString(string: $0).expandingTildeInPath).standardizedFileURL.path
        }
    }

    func validate() throws {
        if let path, let fault = ServerAccess.fault(inAuthorities: path) { throw ValidationError(fault) }
    }
}
