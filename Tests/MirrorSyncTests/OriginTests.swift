import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// The server of a mirror: its address, its CA file, and changes of it.
@Suite("The server of a mirror") struct OriginTests {
    @Test(arguments: [
        ("Http://Museum.example", "http://museum.example/api/v1"),
        ("HTTPS://museum.example:443/api/v1/", "https://museum.example/api/v1"),
        ("https://bücher.example/x?y#z", "https://xn--bcher-kva.example/x/api/v1"),
    ])
    func serverAddressesAreStoredInACanonicalForm(written: String, base: String) throws {
        #expect(try ServerAddress.base(from: written, of: "p") == base)
    }

    @Test(arguments: [
        "https://user:sesame@museum.example", "user:sesame@museum.example", "https://sesame@museum.example/x",
        "https://user:se/sesame@museum.example", "http://user:80/sesame@museum.example",
    ])
    func theErrorForAPasswordInAnAddressHidesItAndNamesMirrorLogin(written: String) {
        let error = #expect(throws: SyncError.self) { try ServerAddress.base(from: written, of: "tate") }
        #expect(error?.message.contains("mirror login tate") == true)
        #expect(error?.message.contains("sesame") == false)
    }

    @Test(arguments: ["", "museum.example", "ftp://museum.example", "https://", "https://mu seum.example"])
    func anAddressThatIsNoWebAddressIsRefused(written: String) {
        let error = #expect(throws: SyncError.self) { try ServerAddress.base(from: written, of: "p") }
        #expect(error?.message.contains("not a web address") == true)
    }

    @Test(arguments: [("metr", "met"), ("tinny", "tiny"), ("tate", nil)] as [(String, String?)])
    func aMirrorWithoutAServerIsReportedWithTheSourceOfASimilarName(name: String, nearest: String?)
        async throws
    {
        let home = try TemporaryHome(), sources = home.folder.file("sources")
        try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: "\(sources)/tiny.yaml"))
        let mirror = try home.mirror(name)
        let error = await #expect(throws: SyncError.self) {
            try await Sync(partner: name, folder: mirror, base: nil) { _, _ in
                throw SyncError(.unreachable, "No request is expected.")
            }.run()
        }
        #expect(error?.code == .otherOrigin)
        let message = error?.message ?? ""
        #expect(message.contains("--from URL"), "\(message)")
        let question = message.firstMatch(of: #/Did you mean the source (\w+): mirror sync (\w+)\?/#)?.output
        #expect(question.map { String($0.1) } == nearest && question?.1 == question?.2, "\(message)")
    }

    @Test func theSameHostInAnotherSpellingIsTheSameServer() async throws {
        let mirror = try TestMirror(FakePartner())
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try await mirror.sync(base: "HTTP://Origin.Test:80/api/v1").outcome == .complete)
        #expect(try mirror.read { try $0.origin } == "http://origin.test/api/v1")
    }

    @Test func theCAFileIsStoredTogetherWithTheOrigin() async throws {
        let mirror = try TestMirror(FakePartner())
        func storedCAFile() throws -> String? { try mirror.mirror.rememberedServer().caFile }
        #expect(try storedCAFile() == nil)
        try await mirror.sync { $0.caFile = "/museum.pem" }
        #expect(try storedCAFile() == "/museum.pem")
        try await mirror.sync()
        #expect(try storedCAFile() == "/museum.pem", "a later sync doesn't need the option")
        try await mirror.sync { $0.caFile = "/newer.pem" }
        #expect(try storedCAFile() == "/newer.pem")
        let other = "http://other.test/api/v1"
        await #expect(throws: SyncError.self) { try await mirror.sync(base: other) }
        #expect(try storedCAFile() == "/newer.pem", "the server did not change")
        #expect(try await mirror.sync(base: other, isNewOrigin: true).outcome == .complete)
        #expect(try storedCAFile() == nil, "another server may not use it")
        try await mirror.sync(isNewOrigin: true) { $0.caFile = "/museum.pem" }
        #expect(try storedCAFile() == "/museum.pem")
        try await mirror.sync(isNewOrigin: true)
        #expect(try storedCAFile() == "/museum.pem", "the address is the stored one")
    }

    @Test(
        arguments: [
            ("/a", "/b", false, "/a"), (nil, "/b", false, "/b"), (nil, "/b", true, nil),
            ("/a", "/b", true, "/a"),
            (nil, nil, false, nil),
        ] as [(String?, String?, Bool, String?)])
    func aNamedCAFileTakesPrecedenceOverAStoredOne(
        named: String?, remembered: String?, originChanged: Bool, used: String?
    ) {
        #expect(Origins.caFile(named: named, remembered: remembered, originChanged: originChanged) == used)
    }

    @Test(
        arguments: [
            ("http://a.test/api/v1", true, false), ("http://a.test:81/api/v1", true, true),
            ("http://b.test/api/v1", true, true), ("http://b.test/api/v1", false, false),
        ])
    func theOriginChangesOnlyWithAnotherAddressAndTheOptionForIt(
        base: String, isNewOrigin: Bool, expected: Bool
    ) {
        let originChanged = Origins.originChanged(
            to: base, from: "http://a.test/api/v1", isNewOrigin: isNewOrigin)
        #expect(originChanged == expected)
        #expect(!Origins.originChanged(to: base, from: nil, isNewOrigin: isNewOrigin))
    }
}
