import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

/// The hosts that a described catalogue lists.
@Suite struct ListedHostsTests {
    private static let names = [
        "origin.test": ["93.184.216.34"], "cdn.test": ["93.184.216.35"], "other.test": ["93.184.216.36"],
        "private.test": ["10.0.0.1"],
    ]

    private func test(cache: CanonicalURLCache? = nil, clock: VirtualClock = VirtualClock(.jumping)) throws
        -> (TestSession, InterceptableSession)
    {
        let test = try TestSession(clock: clock, cache: cache, addresses: Self.names)
        return (test, test.session.obeying(try HostRules(hosts: ["cdn.test", "private.test"])))
    }

    private static let remedy =
        "was not requested, because the description of this catalogue doesn't list this host. If the host is the right one, add it to hosts in the description."
    private static let picture: ScriptedAnswer = .response(
        headers: ["Content-Type": "image/jpeg"], body: [0xFF, 0xD8, 0xFF, 0xE0, 1, 2])

    /// An operation for any address.
    private struct AnyFile: DataOperation {
        let endpoint: Request.Target
        init(_ url: String) { endpoint = .absolute(url) }
    }

    @Test(arguments: ["http://cdn.test/a", "http://CDN.test:80/a", "http://origin.test/a"])
    func requestsForJSONMayUseAddressesAtListedHostsAndAtTheBasesHost(url: String) async throws {
        let (test, session) = try test()
        test.transport.expect("GET", url.lowercased().replacing(":80/", with: "/"), .text("{}"))
        #expect(try await session.response(for: Request(.absolute(url))).status == 200)
        try test.transport.verify()
    }

    @Test(arguments: [
        ("http://other.test/a?b=secret", "other.test"),
        ("http://cdn.test.other.test/a", "cdn.test.other.test"),
        ("http://cdn.test./a", "cdn.test."), ("http://93.184.216.35/a", "93.184.216.35"),
    ])
    func requestsToOtherHostsAreRefused(url: String, host: String) async throws {
        let (test, session) = try test()
        let error = try await httpError {
            _ = try await session.response(for: Request(.absolute(url), mayLeaveOrigin: true))
        }
        #expect(error?.code == .forbiddenAddress && error?.isWorthRetry == false)
        #expect(error?.message == "\(host) \(Self.remedy)")
        #expect(test.transport.requests.isEmpty)
    }

    @Test func aListedHostWithAPrivateAddressIsRefused() async throws {
        let (test, session) = try test()
        let error = try await httpError {
            _ = try await session.response(for: Request(.absolute("http://private.test/a")))
        }
        #expect(error?.code == .forbiddenAddress && error?.message.contains("private network") == true)
        #expect(test.transport.requests.isEmpty)
    }

    @Test func redirectsOfJSONMayLeadToListedHostsOnly() async throws {
        let (test, session) = try test()
        test.transport.expect("GET", "/a", .response(302, headers: ["Location": "http://cdn.test/a"]))
        test.transport.expect(
            "GET", "http://cdn.test/a", .text("a"),
            .response(302, headers: ["Location": "https://other.test/a?b=secret"]))
        #expect(try await session.response(for: Request(.relative("/a"))).body == Array("a".utf8))
        let error = try await httpError {
            _ = try await session.response(for: Request(.absolute("http://cdn.test/a")))
        }
        #expect(error?.code == .forbiddenAddress)
        #expect(error?.message == "cdn.test/a redirects to other.test, which \(Self.remedy)")
        try test.transport.verify()
    }

    @Test func picturesAreOnlyDownloadedFromListedHosts() async throws {
        let folder = try TemporaryFolder(), (test, session) = try test()
        test.transport.expect("GET", "http://cdn.test/a", Self.picture)
        test.transport.expect("GET", "/b", .response(302, headers: ["Location": "http://cdn.test/b"]))
        test.transport.expect("GET", "http://cdn.test/b", Self.picture)
        test.transport.expect(
            "GET", "http://cdn.test/c", .response(302, headers: ["Location": "http://other.test/c"]))
        _ = try await session.download(AnyFile("http://cdn.test/a"), to: folder.file("a"))
        _ = try await session.download(TestFile("/b"), to: folder.file("b"))
        #expect(folder.contents("a") == folder.contents("b") && folder.contents("a")?.count == 6)
        for (url, start) in [
            ("http://other.test/c", "other.test"),
            ("http://cdn.test/c", "cdn.test/c redirects to other.test, which"),
        ] {
            let error = try await httpError {
                _ = try await session.download(AnyFile(url), to: folder.file("c"))
            }
            #expect(error?.code == .forbiddenAddress && error?.message == "\(start) \(Self.remedy)")
        }
        #expect(try folder.names() == ["a", "b"])
        try test.transport.verify()
    }

    /// Without rules, requests may leave the origin as before.
    @Test func theFirstSessionDoesNotObeyTheRules() async throws {
        let (test, _) = try test()
        test.transport.expect("GET", "http://other.test/a", .text("a"))
        #expect(try await test.session.response(for: Request(.absolute("http://other.test/a"))).status == 200)
    }

    @Test func aCopyWithSeparateWaitsObeysTheRules() async throws {
        let (_, session) = try test()
        let error = try await httpError {
            _ = try await session.withSeparateWaits(upTo: .zero).response(
                for: Request(.absolute("http://other.test/a")))
        }
        #expect(error?.code == .forbiddenAddress)
    }

    @Test func anInterceptorsOwnRequestToAnotherHostIsRefused() async throws {
        struct Asking: Interceptor {
            func willSend(_ attempt: inout Attempt) async throws {
                _ = try await attempt.sendNested(Request(.absolute("http://other.test/token")))
            }
        }
        let test = try TestSession(addresses: Self.names, interceptors: [Asking()])
        let session = test.session.obeying(try HostRules(hosts: ["cdn.test"]))
        let error = try await httpError { _ = try await session.response(for: Request(.relative("/a"))) }
        #expect(error?.code == .forbiddenAddress)
        #expect(test.transport.requests.isEmpty)
    }

    @Test func answersOfListedHostsAreCachedByTheirWholeAddress() async throws {
        let folder = try TemporaryFolder(), clock = VirtualClock(.jumping)
        let cache = CanonicalURLCache(
            file: URL(fileURLWithPath: folder.file("cache.sqlite")), origin: TestSession.base,
            now: { clock.now.timeIntervalSince1970 })
        let (test, session) = try test(cache: cache, clock: clock)
        test.transport.always("GET", "http://cdn.test/a", .conditional("{}", etag: "\"1\""))
        let request = Request(.absolute("http://cdn.test/a"))
        #expect(try await session.response(for: request).source == .network)
        #expect(cache.entry(for: "http://cdn.test/a")?.etag == "\"1\"" && cache.entry(for: "/a") == nil)
        let again = try await session.response(for: request)
        #expect(again.source == .revalidated && again.body == Array("{}".utf8))
        guard case .current = try await session.fetch(request, known: "\"1\"") else {
            Issue.record("The copy isn't current.")
            return
        }
    }
}
