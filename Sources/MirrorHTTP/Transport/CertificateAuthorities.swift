import Foundation

/// The certificate authorities that ``CurlTransport`` trusts where they are not libcurl's own choice: in files of
/// certificates in PEM form.
public struct CertificateAuthorities: Sendable, Hashable {
    /// In place of the system's file; `nil` for that one.
    public var file: String?
    /// A folder that `openssl rehash` has prepared, in place of the system's; `nil` for that one.
    public var folder: String?

    public init(file: String? = nil, folder: String? = nil) {
        self.file = file
        self.folder = folder
    }

    /// The variables that ``named(in:)`` reads.
    public static let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"]

    /// As the command `curl` reads the environment: `CURL_CA_BUNDLE` alone, else `SSL_CERT_FILE` and `SSL_CERT_DIR`. An
    /// empty variable counts as none.
    public static func named(in environment: [String: String]) -> CertificateAuthorities {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let bundle = value("CURL_CA_BUNDLE") { return CertificateAuthorities(file: bundle) }
        return CertificateAuthorities(file: value("SSL_CERT_FILE"), folder: value("SSL_CERT_DIR"))
    }

    /// Where they are, with the variables that name them, for a message: `/a.pem (SSL_CERT_FILE)`.
    func place(in environment: [String: String]) -> String {
        let places = [file, folder].compactMap(\.self).map { path in
            let variable = Self.variables.first { environment[$0] == path }
            return path + (variable.map { " (\($0))" } ?? "")
        }
        return places.isEmpty ? "the system's place" : places.joined(separator: " and ")
    }
}
