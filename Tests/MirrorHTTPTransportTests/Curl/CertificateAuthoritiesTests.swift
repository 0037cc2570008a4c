import Foundation
import MirrorTesting
import Testing

@testable import MirrorHTTP

extension TransportSuites {
    /// Private certificate authorities.
    @Suite struct CertificateAuthoritiesTests {
        @Test(
            arguments: [
                ([:], nil, nil),
                (["SSL_CERT_FILE": "/a.pem"], "/a.pem", nil),
                (["SSL_CERT_DIR": "/certs"], nil, "/certs"),
                (["SSL_CERT_FILE": "/a.pem", "SSL_CERT_DIR": "/certs"], "/a.pem", "/certs"),
                (
                    ["CURL_CA_BUNDLE": "/b.pem", "SSL_CERT_FILE": "/a.pem", "SSL_CERT_DIR": "/c"], "/b.pem",
                    nil
                ),
                (["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "/a.pem", "SSL_CERT_DIR": ""], "/a.pem", nil),
            ] as [([String: String], String?, String?)])
        func certificateAuthoritiesAreReadFromTheEnvironmentLikeCurl(
            environment: [String: String], file: String?, folder: String?
        ) {
            #expect(
                CertificateAuthorities.named(in: environment)
                    == CertificateAuthorities(file: file, folder: folder))
        }

        @Test(
            arguments: [
                (CertificateAuthorities(file: "/a.pem"), "/a.pem (SSL_CERT_FILE)"),
                (CertificateAuthorities(file: "/other.pem"), "/other.pem"),
                (
                    CertificateAuthorities(file: "/a.pem", folder: "/certs"),
                    "/a.pem (SSL_CERT_FILE) and /certs (SSL_CERT_DIR)"
                ),
                (CertificateAuthorities(), "the system's certificate authorities"),
            ])
        func certificateAuthoritiesAreDescribedWithTheirVariable(
            authorities: CertificateAuthorities, place: String
        ) {
            let environment = ["SSL_CERT_FILE": "/a.pem", "SSL_CERT_DIR": "/certs"]
            #expect(authorities.place(in: environment) == place)
        }

        /// A file that doesn't exist shows which path libcurl uses.
        @Test(arguments: [
            CertificateAuthorities(file: "/nowhere/museum.pem"),
            CertificateAuthorities(file: "/nowhere/museum.pem", folder: "/nowhere"),
        ])
        func transfersUseTheConfiguredCertificateAuthorities(authorities: CertificateAuthorities) async throws
        {
            try await withServer { server in
                let transport = CurlTransport(.init(addresses: .testing, authorities: authorities))
                let url = "https://127.0.0.1:\(server.port)/plain"
                let error = await failure { try await transport.send(.init(url: url)) }
                #expect(error?.code == .unreadableAuthorities)
                #expect(error?.message.contains("/nowhere/museum.pem") == true)
                #expect(error?.mayHaveReachedServer == false)
                await transport.shutdown()
            }
        }
    }
}
