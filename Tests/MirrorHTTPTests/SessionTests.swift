import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct SessionTests {
    @Test(arguments: [
        ("http://a.test/frick/api/v1", Request.Target.relative("/me"), "http://a.test/frick/api/v1/me"),
        ("http://a.test/frick/api/v1/", .relative("/me"), "http://a.test/frick/api/v1/me"),
        ("http://a.test/frick/api/v1", .relative(""), "http://a.test/frick/api/v1"),
        ("http://a.test/frick/api/v1", .beside("/status"), "http://a.test/frick/status"),
        ("http://A.test:80/api/v1", .beside("/_session"), "http://a.test/_session"),
        ("http://a.test", .relative("/me"), "http://a.test/me"),
        ("http://a.test", .beside("/status"), "http://a.test/status"),
        ("http://a.test", .absolute("https://b.test/x?b=1&a=2"), "https://b.test/x?b=1&a=2"),
    ])
    func requestTargetsAreResolvedAgainstTheBase(base: String, target: Request.Target, url: String) throws {
        #expect(try TestSession(base: base).session.address(of: target).text == url)
    }

    @Test(arguments: [
        "", "a.test", "ftp://a.test", "http://", "http://u:p@a.test/api/v1", "http://a.test/?x=secret",
    ])
    func invalidBaseAddressesAreRefused(base: String) throws {
        let error = #expect(throws: HTTPError.self) { try TestSession(base: base) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(arguments: [
        (TransportError.Code.cannotConnect, HTTPError.Code.unreachable), (.cannotResolveHost, .unreachable),
        (.connectTimedOut, .unreachable), (.badCertificate, .badCertificate), (.idleTimedOut, .timedOut),
        (.timedOut, .timedOut), (.connectionLost, .connectionLost), (.truncatedBody, .connectionLost),
        (.bodyTooLarge, .tooLarge), (.headersTooLarge, .tooLarge), (.badResponse, .badResponse),
        (.unknownCoding, .badResponse), (.brokenCoding, .badResponse), (.cannotConnectByProxy, .unreachable),
        (.unsupportedURL, .invalidAddress), (.untrustedProxy, .badCertificate),
        (.unreadableAuthorities, .badCertificate),
    ])
    func transportErrorsBecomeHTTPErrorsWithMessages(code: TransportError.Code, expected: HTTPError.Code)
        async throws
    {
        let test = try TestSession()
        test.transport.expect("GET", "/a?token=secret", .failure(code))
        let error = try await httpError {
            _ = try await test.session.response(for: Request(.relative("/a?token=secret")))
        }
        #expect(error?.code == expected)
        #expect(error?.message.contains("origin.test") == true)
        #expect(error?.message.contains("secret") == false)
        #expect(error?.cause is TransportError)
    }

    @Test func theCertificateMessageContainsNoControlCharacters() throws {
        let address = try #require(WebAddress("https://a.test/"))
        let error = HTTPError.from(TransportError(.badCertificate, "bad\u{1B}[31m\r\nthing"), at: address)
        #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test func aBodyLargerThanTheLimitIsAnError() async throws {
        let test = try TestSession()
        test.transport.expect("GET", "/a", .text("123456789"))
        let error = try await httpError {
            _ = try await test.session.response(
                for: Request(.relative("/a"), limits: TransferLimits(body: 8)))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func theSessionsStatisticsAreExact() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.expect("GET", "/a", .truncated([1, 2, 3, 4], after: 2), .text("12345"))
        test.transport.expect("GET", "/b", .notModified())
        _ = try await test.session.response(for: Request(.relative("/a")))
        _ = try await test.session.fetch(Request(.relative("/b"), kind: .media), known: "\"1\"")
        var expected = SessionStatistics()
        expected.concurrency = 1
        expected.sent = 3
        expected.retried = 1
        expected.notModified = 1
        expected.jsonBytes = 7
        expected.waited = .seconds(0.125)
        #expect(test.session.statistics == expected)
    }

    @Test func interceptorsIncludingAnAppsOwnAreCalledInOrder() async throws {
        struct Marker: Interceptor {
            let name: String
            func willSend(_ attempt: inout Attempt) async throws {
                let marks = attempt.request.headers["Marks"] ?? ""
                attempt.request.headers["Marks"] = marks + name
            }
            func didReceive(
                _ outcome: Result<Response, any Error>, for attempt: inout Attempt
            ) async throws -> Decision {
                attempt.memory += 1
                return attempt.repeats < 1 && attempt.memory < 2 ? .repeat(after: .seconds(1)) : .proceed
            }
        }
        let test = try TestSession(interceptors: [Marker(name: "1"), Marker(name: "2")])
        test.transport.always("GET", "/a", .text("ok"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(test.transport.requests.map { $0.headers["Marks"] } == ["12", "12", "12"])
        #expect(test.clock.waits == [.seconds(1), .seconds(1)])
    }

    @Test func theRequestLogContainsNoSecrets() async throws {
        let lines = Mutex<[String]>([])
        let test = try TestSession(
            interceptors: try .standard(
                credentials: .token("s3cret"), log: { line in lines.withLock { $0.append(line) } }))
        test.transport.expect("GET", "/a?b=s3cret&c", .response(500), .text("s3cret"))
        _ = try await test.session.response(
            for: Request(.relative("/a?b=s3cret&c"), headers: ["Authorization": "s3cret"]))
        #expect(
            lines.withLock { $0 } == [
                "GET origin.test/api/v1/a?b&c", "500 GET origin.test/api/v1/a?b&c",
                "GET origin.test/api/v1/a?b&c, attempt 2", "200 GET origin.test/api/v1/a?b&c",
            ])
        #expect("\(Credentials.token("s3cret"))" == "token")
    }

    @Test(arguments: [
        ("Authorization", true), ("cookie", true), ("Set-Cookie", true), ("X-Access-Token", true),
        ("X-API-Key", true),
        ("Accept", false), ("ETag", false),
    ])
    func headerFieldsWithCredentialsAreRedacted(name: String, isSecret: Bool) {
        #expect(Redaction.isSecret(name) == isSecret)
    }

    @Test func anUnreliableServerCausesFewRepetitions() async throws {
        let random = SeededRandom(seed: 7)
        let test = try TestSession(
            interceptors: try .standard(),
            handler: { _ in
                guard random.unit() < 0.2 else { return .text("ok") }
                switch random.next() % 5 {
                case 0: return .response(500)
                case 1: return .response(503, headers: ["Retry-After": "1"])
                case 2: return .failure(.connectionLost)
                case 3: return .truncated(Array("ok".utf8), after: 1)
                default: return .response(429)
                }
            })
        for n in 0..<1000 {
            let response = try await test.session.response(for: Request(.relative("/\(n)")))
            #expect(response.status == 200)
        }
        #expect(test.session.statistics.sent <= 1400)
        #expect(test.session.statistics.retried == test.session.statistics.sent - 1000)
    }
}

@Suite struct FoundationInterfaceTests {
    let folder: TemporaryFolder
    let clock = VirtualClock(.jumping)
    let test: TestSession

    init() throws {
        folder = try TemporaryFolder()
        let cache = CanonicalURLCache(
            file: URL(fileURLWithPath: folder.file("cache.sqlite")), origin: TestSession.base,
            now: { [clock] in clock.now.timeIntervalSince1970 })
        test = try TestSession(clock: clock, cache: cache)
    }

    func fetch(_ policy: URLRequest.CachePolicy = .useProtocolCachePolicy) async throws -> String {
        let url = try #require(URL(string: TestSession.base + "/a"))
        let (data, response) = try await test.session.response(for: URLRequest(url: url, cachePolicy: policy))
        return
            "\(response.statusCode) \(String(decoding: data, as: UTF8.self)) \(response.value(forHTTPHeaderField: "X-Cache") ?? "")"
    }

    @Test func theXCacheFieldContainsTheSourceOfAResponse() async throws {
        let headers: HeaderFields = ["Cache-Control": "max-age=60", "x-cache": "theirs"]
        test.transport.expect(
            "GET", "/a", .text("1", etag: "\"1\"", headers: headers), .notModified(etag: "\"1\""))
        #expect(try await fetch(.returnCacheDataDontLoad) == "504  miss")
        #expect(try await fetch() == "200 1 miss")
        #expect(try await fetch() == "200 1 hit")
        #expect(try await fetch(.reloadIgnoringLocalCacheData) == "200 1 revalidated")
        clock.advance(by: .seconds(3600))
        #expect(try await fetch(.returnCacheDataDontLoad) == "200 1 stale")
        try test.transport.verify()
    }

    @Test func aStaleWhileRevalidateCacheEntryIsValidatedAtOnce() async throws {
        let headers: HeaderFields = ["Cache-Control": "max-age=1, stale-while-revalidate=60"]
        test.transport.expect(
            "GET", "/a", .text("1", etag: "\"1\"", headers: headers),
            .text("2", etag: "\"2\"", headers: headers))
        #expect(try await fetch() == "200 1 miss")
        clock.advance(by: .seconds(10))
        #expect(try await fetch() == "200 2 miss")
        #expect(test.transport.requests.last?.headers["If-None-Match"] == "\"1\"")
        try test.transport.verify()
    }
}
