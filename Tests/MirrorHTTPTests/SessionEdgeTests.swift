import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Rare cases of a session and its cache.
@Suite struct SessionEdgeTests {
    let folder: TemporaryFolder
    let clock = VirtualClock(.jumping)
    let cache: CanonicalURLCache

    init() throws {
        folder = try TemporaryFolder()
        cache = CanonicalURLCache(
            file: URL(fileURLWithPath: folder.file("cache.sqlite")), origin: TestSession.base,
            now: { [clock] in clock.now.timeIntervalSince1970 })
    }

    @Test func aHeadRequestIsAnsweredFromTheCacheWithoutABody() async throws {
        let test = try TestSession(clock: clock, cache: cache)
        let headers: HeaderFields = ["Cache-Control": "max-age=60, stale-if-error=600"]
        test.transport.expect("GET", "/a", .text("body", etag: "\"1\"", headers: headers))
        _ = try await test.session.response(for: Request(.relative("/a")))
        let fresh = try await test.session.response(for: Request(method: "HEAD", .relative("/a")))
        #expect(fresh.source == .fresh && fresh.body.isEmpty && fresh.etag == "\"1\"")
        clock.advance(by: .seconds(100))
        test.transport.expect("HEAD", "/a", .failure(.connectionLost))
        let stale = try await test.session.response(for: Request(method: "HEAD", .relative("/a")))
        #expect(stale.source == .stale && stale.body.isEmpty)
        try test.transport.verify()
    }

    @Test func anUnsafeRequestThatBypassesTheCacheInvalidatesItsCacheEntries() async throws {
        let test = try TestSession(clock: clock, cache: cache)
        test.transport.expect(
            "GET", "/a", .text("1", headers: ["Cache-Control": "max-age=60"]), .text("2"))
        test.transport.expect("PUT", "/a", .response(204))
        _ = try await test.session.response(for: Request(.relative("/a")))
        _ = try await test.session.response(for: Request(method: "PUT", .relative("/a"), cache: .bypass))
        let after = try await test.session.response(for: Request(.relative("/a")))
        #expect(after.source == .network && after.body == Array("2".utf8))
        try test.transport.verify()
    }

    @Test func noCacheIsAddedToOtherCacheControlDirectives() async throws {
        let test = try TestSession(clock: clock, cache: cache)
        test.transport.expect(
            "GET", "/a", .text("1", etag: "\"1\"", headers: ["Cache-Control": "max-age=60"]),
            .notModified(etag: "\"1\""))
        _ = try await test.session.response(for: Request(.relative("/a")))
        let request = Request(.relative("/a"), headers: ["Cache-Control": "max-stale"], cache: .noCache)
        #expect(try await test.session.response(for: request).source == .revalidated)
        try test.transport.verify()
    }

    /// The server's clock differs by an hour, which must not change the age.
    @Test(arguments: [(nil, 0), ("30", 30)] as [(String?, Int)])
    func aConfirmedResponseHasTheAgeOfItsConfirmation(age: String?, expected: Int) async throws {
        let test = try TestSession(clock: clock, cache: cache)
        let hourAgo = HTTPDate.format(clock.now.timeIntervalSince1970 - 3_600)
        var confirmation: HeaderFields = ["Date": hourAgo]
        confirmation["Age"] = age
        test.transport.expect(
            "GET", "/a", .text("1", etag: "\"1\"", headers: ["Age": "7", "Cache-Control": "no-cache"]),
            .notModified(etag: "\"1\"", headers: confirmation))
        #expect(try await test.session.response(for: Request(.relative("/a"))).head.ageOnArrival == 7)
        let again = try await test.session.response(for: Request(.relative("/a")))
        #expect(again.source == .revalidated && again.head.ageOnArrival == expected)
        #expect(again.head.age >= 3_600)
    }

    /// RFC 9111, sections 1.2.2 and 5.1.
    @Test(arguments: [
        ("7", 7), ("7, 9", 7), ("-7", 0), ("7.5", 0), ("x", 0), ("9223372036854775807", 2_147_483_648),
        ("99999999999999999999", 2_147_483_648),
    ])
    func theAgeFieldIsParsedAsSecondsWithinLimits(text: String, expected: Int) {
        #expect(ResponseHead(status: 200, headers: ["Age": text]).age == expected)
    }

    /// Another task stores a newer response while the server confirms the old one.
    @Test func aLate304DoesNotReplaceANewerCacheEntry() async throws {
        let (cache, clock) = (cache, clock)
        let old: HeaderFields = ["Cache-Control": "max-age=1"]
        let test = try TestSession(clock: clock, cache: cache) { request in
            guard request.headers["If-None-Match"] == "\"1\"" else {
                return .text("2", etag: "\"2\"", headers: old)
            }
            clock.advance(by: .seconds(1))
            let newer = CacheEntry(
                key: "/a", status: 200, headers: ["ETag": "\"2\"", "Cache-Control": "max-age=600"],
                body: Array("2".utf8), requestTime: clock.now.timeIntervalSince1970,
                responseTime: clock.now.timeIntervalSince1970)
            cache.store(newer)
            cache.flush()
            return .notModified(etag: "\"1\"", headers: ["Cache-Control": "max-age=600"])
        }
        test.transport.expect("GET", "/a", .text("1", etag: "\"1\"", headers: old))
        _ = try await test.session.response(for: Request(.relative("/a")))
        cache.flush()
        clock.advance(by: .seconds(10))
        _ = try await test.session.fetch(Request(.relative("/a")), known: "\"1\"")
        for _ in 0..<2 {
            let found = cache.entry(for: "/a")
            #expect(found?.etag == "\"2\"" && found?.body == Array("2".utf8))
            cache.flush()
        }
    }

    @Test func theSessionsChangesReplaceResponsesInMemory() async throws {
        let url = try #require(URL(string: TestSession.base + "/a"))
        let old = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["ETag": "\"0\""]))
        let test = try TestSession(clock: clock, cache: cache)
        test.transport.expect("GET", "/a", .text("1", etag: "\"1\""))
        cache.storeCachedResponse(
            CachedURLResponse(response: old, data: Data("0".utf8), storagePolicy: .allowedInMemoryOnly),
            for: URLRequest(url: url))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(cache.cachedResponse(for: URLRequest(url: url))?.data == Data("1".utf8))
    }

    @Test func aPartialResponseIsNeverUsedForTheCompleteOne() async throws {
        let url = try #require(URL(string: TestSession.base + "/a"))
        let fields = ["Content-Range": "bytes 0-0/5", "Cache-Control": "max-age=60"]
        let part = try #require(
            HTTPURLResponse(url: url, statusCode: 206, httpVersion: nil, headerFields: fields))
        cache.storeCachedResponse(
            CachedURLResponse(response: part, data: Data("w".utf8)), for: URLRequest(url: url))
        let test = try TestSession(clock: clock, cache: cache)
        test.transport.expect("GET", "/a", .text("whole"))
        let response = try await test.session.response(for: Request(.relative("/a")))
        #expect(response.body == Array("whole".utf8))
    }

    @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, 0, -1, .nan])
    func unusualTimeoutIntervalsDoNotCrash(interval: Double) async throws {
        let test = try TestSession()
        test.transport.expect("GET", "/a", .text("a"))
        var request = URLRequest(url: try #require(URL(string: TestSession.base + "/a")))
        request.timeoutInterval = interval
        let (data, _) = try await test.session.response(for: request)
        #expect(data == Data("a".utf8))
        #expect(try #require(test.transport.requests.first).limits.idle > .zero)
    }

    @Test func aRequestWithABodyStreamIsRefused() async throws {
        let test = try TestSession()
        var request = URLRequest(url: try #require(URL(string: TestSession.base + "/a")))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("body".utf8))
        let requested = request
        let error = try await httpError { _ = try await test.session.response(for: requested) }
        #expect(error?.code == .invalidRequest)
        try test.transport.verify()
    }

    @Test func errorsContainNoUserInformationOfAURL() async throws {
        let test = try TestSession()
        for address in ["http://ann:s3cret@origin.test/a", "http://ann:s3/cret@origin.test/a", "s3cret@x"] {
            let error = try await httpError {
                _ = try await test.session.response(for: Request(.absolute(address)))
            }
            #expect(error?.code == .invalidAddress)
            #expect(error.map { "\($0)".contains("s3") } == false)
        }
    }

    @Test func printedRequestsContainNoCredentials() throws {
        let headers: HeaderFields = [
            "Accept": "text/plain", "Authorization": "Basic s3cret", "cookie": "a=s3cret",
            "X-Access-Token": "s3cret",
        ]
        let request = Request(.relative("/a"), headers: headers)
        let sent = TransportRequest(url: "http://origin.test/a", headers: headers)
        var text = "\(request) \(sent) \(headers) \(headers.lines) \(String(reflecting: sent))"
        dump(sent, to: &text)
        dump(request, to: &text)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("text/plain"))
    }

    /// An app's interceptor that sends requests to another host.
    private struct HostChangingInterceptor: Interceptor {
        func willSend(_ attempt: inout Attempt) async throws {
            attempt.request.url = "http://elsewhere.test/a"
        }
    }

    @Test func noTokenIsSentIfAnInterceptorChangesTheHost() async throws {
        let test = try TestSession(
            interceptors: [HostChangingInterceptor(), try AccessTokenInterceptor(token: "s3cret")])
        test.transport.expect("GET", "http://elsewhere.test/a", .text("a"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(test.transport.requests.first?.headers["X-Access-Token"] == nil)
    }
}
