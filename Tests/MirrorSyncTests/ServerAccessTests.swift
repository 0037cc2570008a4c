import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("How an app's sync reaches its server", .fewAtATime) struct ServerAccessTests {
    private static let base = "http://origin.test/api/v1"

    private let home: TemporaryFolder
    private let partner = FakePartner { $0.artwork("a") }

    init() throws { home = try TemporaryFolder() }

    private var mirror: MirrorFolder { get throws { try MirrorHome(path: home.path).mirror("p") } }

    private struct Result {
        let summary: SyncSummary
        let requests: [TransportRequest]
        /// The certificate authorities that the transport was created with; `nil` if none was created.
        let authorities: CertificateAuthorities?

        /// The values that the requests have in a header field.
        func values(of field: String) -> Set<String> { Set(requests.map { $0.headers[field] ?? "" }) }
    }

    /// Runs a sync with a scripted transport.
    private func sync(
        from base: String? = base, isNewOrigin: Bool = false, credentials: Credentials? = nil,
        caFile: String? = nil
    ) async throws -> Result {
        var options = SyncOptions()
        (options.synchronous, options.caFile) = (true, caFile)
        var access = ServerAccess(
            folder: try mirror, address: base, isNewOrigin: isNewOrigin, credentials: credentials,
            options: options, userAgent: "Gallery/1.2")
        let transport = partner.transport(base: base ?? Self.base)
        let authorities = Mutex<CertificateAuthorities?>(nil)
        access.transport = { configuration in
            authorities.withLock { $0 = configuration.authorities }
            return transport
        }
        let summary = try await Sync(access).run()
        return Result(
            summary: summary, requests: transport.requests, authorities: authorities.withLock { $0 })
    }

    private func store(_ credentials: Credentials) throws {
        try mirror.prepare()
        try CredentialsFile(mirror).store(credentials, for: Self.base)
    }

    /// A file in the form of a certificate.
    private func authorities(_ name: String) throws -> String {
        let text = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
        try Data(text.utf8).write(to: URL(filePath: home.file(name)))
        return home.file(name)
    }

    @Test func theTokenAndTheAppsNameAreSentWithEachRequest() async throws {
        let result = try await sync(credentials: .token("s3cret"))
        #expect(result.summary.outcome == .complete, "\(result.summary.problems)")
        #expect(result.values(of: "X-Access-Token") == ["s3cret"])
        #expect(result.values(of: "User-Agent") == ["Gallery/1.2"])
        #expect(try !FileManager.default.fileExists(atPath: CredentialsFile(mirror).path))
    }

    @Test func storedCredentialsAreUsedOnlyForTheirHostAndUnlessOthersArePassed() async throws {
        try store(.token("stored"))
        #expect(try await sync().values(of: "X-Access-Token") == ["stored"])
        #expect(try await sync(credentials: .token("given")).values(of: "X-Access-Token") == ["given"])
        #expect(try await sync(credentials: Credentials.none).values(of: "X-Access-Token") == [""])
        let other = try await sync(from: "http://other.test/api/v1", isNewOrigin: true)
        #expect(other.summary.outcome == .complete, "\(other.summary.problems)")
        #expect(other.values(of: "X-Access-Token") == [""])
    }

    @Test func storedCredentialsThatOthersCanReadEndTheSyncBeforeItsFirstRequest() async throws {
        try store(.token("stored"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: CredentialsFile(mirror).path)
        let result = try await sync()
        #expect((result.summary.cause as? SyncError)?.code == .secret)
        #expect(result.summary.failure?.contains("chmod 600") == true)
        #expect(result.requests.isEmpty)
    }

    @Test func namedCertificateAuthoritiesAreRememberedForTheirServer() async throws {
        let file = try authorities("museum.pem")
        #expect(try await sync(caFile: file).authorities == CertificateAuthorities(file: file))
        #expect(try await sync(from: nil).authorities == CertificateAuthorities(file: file))
        let usual = CertificateAuthorities.named(in: ProcessInfo.processInfo.environment)
        let other = try await sync(from: "http://other.test/api/v1", isNewOrigin: true)
        #expect(other.authorities == usual, "they are not used for another server")
    }

    @Test func aFileOfAuthoritiesThatCannotBeUsedEndsTheSyncBeforeItsFirstRequest() async throws {
        let file = try authorities("museum.pem")
        _ = try await sync(caFile: file)
        try FileManager.default.removeItem(atPath: file)
        let result = try await sync()
        #expect((result.summary.cause as? SyncError)?.code == .secret)
        #expect(result.summary.failure?.contains("\(file) doesn't exist") == true)
        #expect(result.requests.isEmpty && result.authorities == nil)
    }

    @Test func aSyncWithoutAKnownServerIsRefusedAndItsProgressEnds() async throws {
        let monitor = SyncMonitor(), progress = monitor.progress(every: .seconds(86_400))
        await #expect { _ = try await mirror.sync(monitor: monitor) } throws: {
            ($0 as? SyncError)?.code == .otherOrigin
        }
        var steps = 0
        for await _ in progress { steps += 1 }
        #expect(steps == 1)
        #expect(try !mirror.exists)
    }
}
