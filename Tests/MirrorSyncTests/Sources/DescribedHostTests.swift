import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "A URL from an answer is followed only to the base's host or a listed one."
@Suite("Hosts of described sources", .limitedConcurrency) struct DescribedHostTests {
    private static let listed = "https://pictures.museum.test/1.jpg"

    /// A museum whose first work has a picture at an address.
    private func museum(_ picture: String) throws -> ScriptedMuseum {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.top = "hosts: [pictures.museum.test]"
                $0.object =
                    "images: SELECT value AS url FROM json_each(:body, '$.pictures') WHERE :body ->> 'free'"
            }, works: ScriptedMuseum.works(2))
        museum.change("1", ["pictures": .array([.string(picture)]), "free": true])
        return museum
    }

    private func hosts(_ museum: ScriptedMuseum) -> Set<String> {
        Set(
            museum.mirror.network.exchanges.compactMap { URL(string: $0.url) }.compactMap { url in
                url.host().map { "\($0)\(url.port.map { ":\($0)" } ?? "")" }
            })
    }

    private func files(_ museum: ScriptedMuseum) throws -> Int {
        try museum.mirror.read { store in
            try store.pictures(of: Owner(.artwork, "1")).filter { $0.largest != nil }.count
        }
    }

    @Test(arguments: [listed, "\(ScriptedMuseum.base)/1.jpg", "https://PICTURES.museum.test:443/a b.jpg"])
    func `a picture of the base's host or a listed one is fetched`(url: String) async throws {
        let museum = try museum(url)
        let picture = ScriptedAnswer.response(
            headers: ["Content-Type": "image/jpeg"],
            body: [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 1, count: 60))
        museum.answer { $0.hasSuffix(".jpg") ? picture : nil }
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try files(museum) == 1)
    }

    @Test(arguments: [
        "https://elsewhere.test/1.jpg", "https://api.museum.test:8443/1.jpg",
        "https://pictures.museum.test:8443/1.jpg",
        "https://pictures.museum.test.elsewhere.test/1.jpg",
        "https://pictures.museum.test@elsewhere.test/1.jpg",
        "ftp://pictures.museum.test/1.jpg", "file:///etc/passwd",
    ])
    func `a picture of another host or port isn't requested`(url: String) async throws {
        let museum = try museum(url)
        for _ in 0..<2 {
            _ = try await museum.sync()
            museum.mirror.pass(days: 1, hours: 1)
        }
        #expect(hosts(museum) == ["api.museum.test"])
        #expect(try museum.titles == ["1": "Work 1", "2": "Work 2"], "the work itself is stored")
        #expect(try files(museum) == 0)
    }

    @Test func `a picture of a host that isn't listed is reported with the host`() async throws {
        let museum = try museum("https://elsewhere.test/1.jpg")
        let summary = try await museum.sync()
        #expect(
            summary.problems.contains { $0.message.hasPrefix("1 picture on elsewhere.test was not fetched") },
            "\(summary.problems)")
    }

    @Test(arguments: [
        "/p/5.png", "//pictures.museum.test/5.png", "file:///p/5.png", "javascript:alert(1)",
        "data:image/png;base64,AA==", "https://user:pw@pictures.museum.test/5.png",
    ])
    func `a picture without a web address is reported`(url: String) async throws {
        let museum = try museum(url)
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete)
        let problem = try #require(summary.problems.first { $0.what == "picture" })
        #expect(
            problem.message.hasPrefix(
                "1 picture was not fetched, because its address is no HTTP or HTTPS URL."))
        #expect(!problem.message.contains("pw"))
    }

    @Test(arguments: ["https://elsewhere.test/1.jpg", "https://pictures.museum.test:8443/1.jpg"])
    func `a picture's redirect to a host that isn't listed is not followed, and is reported`(target: String)
        async throws
    {
        let museum = try museum(Self.listed)
        museum.answer { $0 == Self.listed ? .response(302, headers: ["Location": target]) : nil }
        let summary = try await museum.sync()
        #expect(summary.outcome == .partial)
        #expect(hosts(museum) == ["api.museum.test", "pictures.museum.test"])
        let host = try #require(URL(string: target)?.host())
        #expect(summary.problems.contains { $0.message.contains(host) }, "\(summary.problems)")
        #expect(try files(museum) == 0 && museum.ids == ["1", "2"])
    }

    @Test func `a redirect between the base's host and listed ones is followed`() async throws {
        let museum = try museum("\(ScriptedMuseum.base)/pictures/1")
        museum.answer {
            switch $0 {
            case "/pictures/1": .response(302, headers: ["Location": Self.listed])
            case "/works/2": .response(301, headers: ["Location": "/v1/objects/2"])
            case "/objects/2": .text(ScriptedMuseum.work("2").canonicalText)
            default: nil
            }
        }
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try files(museum) == 1 && museum.ids == ["1", "2"])
    }

    @Test func `a work's redirect to a host that isn't listed is not followed, and is reported`() async throws
    {
        let museum = try museum(Self.listed)
        museum.answer {
            $0 == "/works/2" ? .response(302, headers: ["Location": "https://elsewhere.test/works/2"]) : nil
        }
        let summary = try await museum.sync()
        #expect(summary.outcome == .partial)
        #expect(!hosts(museum).contains("elsewhere.test"))
        #expect(summary.problems.contains { $0.id == "2" && $0.message.contains("elsewhere.test") })
        #expect(try museum.ids == ["1"])
    }

    @Test func `a list's redirect to a host that isn't listed removes nothing`() async throws {
        let museum = try museum(Self.listed)
        #expect(try await museum.sync().outcome == .complete)
        museum.answer {
            $0.hasPrefix("/works?")
                ? .response(302, headers: ["Location": "https://elsewhere.test/works"]) : nil
        }
        for _ in 0..<4 {
            museum.mirror.pass(days: 1)
            #expect(try await museum.sync().outcome != .complete)
        }
        #expect(!hosts(museum).contains("elsewhere.test"))
        #expect(try museum.ids == ["1", "2"])
    }

    // MARK: - Another base

    @Test func `a base that changed in the description to another host needs new-origin`() async throws {
        let museum = try museum(Self.listed)
        try await museum.sync()
        try museum.describe(SmallDescription { $0.base = "https://moved.test/v1" })
        _ = museum.requests()
        let error = try await museum.syncError()
        #expect(error?.code == .otherOrigin)
        #expect(error?.message.contains("is a mirror of api.museum.test") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("moved.test from now on, add --new-origin") == true)
        #expect(museum.requests() == [])
        _ = try await museum.mirror.sync(isNewOrigin: true)
        #expect(museum.requests().allSatisfy { $0.hasPrefix("https://moved.test/v1/") })
        #expect(!museum.mirror.network.exchanges.isEmpty)
    }

    @Test func `a base that changed in the description on the same host is used from then on`() async throws {
        let museum = try museum(Self.listed)
        try await museum.sync()
        try museum.describe(SmallDescription { $0.base = "https://api.museum.test/v2" })
        _ = museum.requests()
        _ = try await museum.mirror.sync()
        let requests = museum.requests()
        #expect(!requests.isEmpty && requests.allSatisfy { $0.hasPrefix("https://api.museum.test/v2/") })
    }

    @Test func `a base that was given stays when the description changes`() async throws {
        let museum = try museum(Self.listed)
        try museum.describe(SmallDescription { $0.base = "https://described.test/v1" })
        _ = try await museum.mirror.sync(base: ScriptedMuseum.base)
        try museum.describe(SmallDescription { $0.base = "https://moved.test/v1" })
        #expect(try await museum.sync().outcome == .complete)
        #expect(hosts(museum) == ["api.museum.test"])
    }

    // MARK: - Keys

    @Test func `a missing key is an error that names its variable, before anything is requested`()
        async throws
    {
        let museum = try ScriptedMuseum(
            SmallDescription { $0.top = "key: { query: k, env: MIRROR_KEY_TINY_TEST_UNSET }" })
        let error = try await museum.syncError()
        #expect(error?.code == .secret)
        #expect(
            error?.message.contains("export MIRROR_KEY_TINY_TEST_UNSET=KEY") == true,
            "\(error?.message ?? "")")
        #expect(museum.requests() == [])
        #expect(try museum.mirror.mirror.rememberedSource() == nil)
    }
}
