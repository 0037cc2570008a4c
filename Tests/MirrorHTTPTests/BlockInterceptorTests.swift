import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// Hosts that block requests, or whose service has ended.
@Suite struct BlockInterceptorTests {
    private static let rules = [
        HostBlockRule(.status(410), .ended), HostBlockRule(.status(403), .wait(.seconds(120))),
        HostBlockRule(.mediaType("text/html"), .wait(.seconds(60))),
        HostBlockRule(.header("cf-mitigated"), .wait(.seconds(30))),
    ]

    private func interceptors(limit: Int = 5) -> [any Interceptor] {
        let throttle = ThrottleInterceptor()
        return [
            throttle, BlockInterceptor(rules: Self.rules, throttle: throttle, limit: limit),
            RetryInterceptor(),
        ]
    }

    private func send(_ path: String, _ test: TestSession) async throws -> Int {
        try await test.session.response(for: Request(.relative(path))).status
    }

    private static let html = ScriptedAnswer.text(
        "<iframe src=\"/_Incapsula_Resource\">", contentType: "Text/HTML; charset=utf-8")

    @Test(
        arguments: [
            (.response(403), 120), (html, 60), (.text("{}", headers: ["CF-Mitigated": "challenge"]), 30),
            (.response(503, headers: ["Content-Type": "text/html"]), 60),
            (.response(403, headers: ["Retry-After": "45"]), 45),
            (.response(403, headers: ["Retry-After": "0"]), 120),
        ] as [(ScriptedAnswer, Int)])
    func anAnswerThatMatchesARuleIsRepeatedAfterAWait(answer: ScriptedAnswer, wait: Int) async throws {
        let test = try TestSession(interceptors: interceptors())
        test.transport.expect("GET", "/a", answer, .text("content"))
        let response = try await test.session.response(for: Request(.relative("/a")))
        #expect(response.body == Array("content".utf8))
        #expect(test.clock.waits == [.seconds(wait)])
        #expect(test.session.statistics.waited == .seconds(wait))
    }

    @Test(arguments: [
        ScriptedAnswer.text("{}"), .text("", status: 404), .response(200),
        .text("a", contentType: "text/htmlx"),
    ])
    func anotherAnswerIsContent(answer: ScriptedAnswer) async throws {
        let test = try TestSession(interceptors: interceptors())
        test.transport.expect("GET", "/a", answer)
        _ = try await send("/a", test)
        #expect(test.clock.waits.isEmpty)
        try test.transport.verify()
    }

    @Test func aHostThatBlocksForEverFailsAndIsNotRequestedDuringTheWait() async throws {
        let test = try TestSession(longestWait: .seconds(3_600), interceptors: interceptors())
        test.transport.always("GET", "/a?key=secret", .response(403))
        let error = try await httpError { _ = try await send("/a?key=secret", test) }
        #expect(error?.code == .blocked && error?.status == nil && error?.isWorthRetry == false)
        #expect(
            error?.message
                == "origin.test blocks requests: it answered origin.test/api/v1/a with status 403, which is no content. Try again later, or with fewer requests a second."
        )
        #expect(test.transport.requests.count == 5)
        #expect(test.clock.waits == Array(repeating: .seconds(120), count: 4))
        for _ in 0..<3 {
            #expect(try await httpError { _ = try await send("/b", test) }?.code == .blocked)
        }
        #expect(test.transport.requests.count == 5 && test.clock.waits.count == 4)
        // After the wait, one request finds out that the host still blocks.
        test.clock.advance(by: .seconds(120))
        test.transport.expect("GET", "/b", .response(403))
        for _ in 0..<2 {
            #expect(try await httpError { _ = try await send("/b", test) }?.code == .blocked)
        }
        #expect(test.transport.requests.count == 6)
        test.clock.advance(by: .seconds(120))
        test.transport.expect("GET", "/c", .text("c"), .response(403), .text("c"))
        for _ in 0..<2 { #expect(try await send("/c", test) == 200) }
        #expect(test.clock.waits.count == 5)
        try test.transport.verify()
    }

    @Test func waitsForABlockObeyTheLimitsOfWaits() async throws {
        // A request may wait for 5 minutes.
        var test = try TestSession(interceptors: interceptors())
        test.transport.always("GET", "/a", .response(403))
        #expect(try await httpError { _ = try await send("/a", test) }?.code == .blocked)
        #expect(test.transport.requests.count == 3)
        test = try TestSession(interceptors: interceptors())
        test.session.limitWaits(to: .seconds(100))
        test.transport.always("GET", "/a", .response(403))
        // The second request isn't sent, because the host's wait is too long for it, too.
        for path in ["/a", "/b"] {
            #expect(try await httpError { _ = try await send(path, test) }?.code == .blocked)
        }
        #expect(test.transport.requests.count == 1 && test.clock.waits.isEmpty)
    }

    @Test func aServiceThatHasEndedFailsAtOnce() async throws {
        let test = try TestSession(interceptors: interceptors())
        test.transport.always("GET", "/list", .response(410))
        let error = try await httpError { _ = try await send("/list", test) }
        #expect(error?.code == .serviceEnded && error?.status == nil)
        #expect(
            error?.message
                == "The service at origin.test has ended: it answered origin.test/api/v1/list with status 410. Ask its owner for a new address."
        )
        // The 410 of an object only means that this object is gone.
        var object = Request(.relative("/list"))
        object.mayEndService = false
        #expect(try await test.session.response(for: object).status == 410)
        #expect(test.transport.requests.count == 2 && test.clock.waits.isEmpty)
    }

    @Test func anOperationSaysWhetherItsAnswerMayEndTheService() async throws {
        struct Thing: DataOperation {
            let mayEndService: Bool
            var endpoint: Request.Target { .relative("/thing") }
        }
        let test = try TestSession(interceptors: interceptors())
        test.transport.always("GET", "/thing", .response(410))
        for (mayEnd, code) in [(true, HTTPError.Code.serviceEnded), (false, .notFound)] {
            let error = try await httpError { _ = try await test.session.send(Thing(mayEndService: mayEnd)) }
            #expect(error?.code == code)
        }
        // A picture that is gone doesn't end the service either.
        let folder = try TemporaryFolder()
        let error = try await httpError {
            _ = try await test.session.download(Thing(mayEndService: true), to: folder.file("a"))
        }
        #expect(error?.code == .notFound)
    }

    @Test func anAddressThatIsAlwaysRefusedDelaysOthersOnlyOnce() async throws {
        let test = try TestSession(longestWait: .seconds(100), interceptors: interceptors())
        test.transport.always("GET", "/secret", .response(403))
        test.transport.always("GET", "/b", .text("b"))
        #expect(try await httpError { _ = try await send("/secret", test) }?.code == .blocked)
        test.clock.advance(by: .seconds(120))
        #expect(try await send("/b", test) == 200)
        for _ in 0..<3 {
            #expect(try await httpError { _ = try await send("/secret", test) }?.code == .blocked)
            #expect(try await send("/b", test) == 200)
        }
        #expect(test.clock.waits.isEmpty)
    }

    @Test func aRequestThatMayNotBeSentTwiceOrMustNotWaitFails() async throws {
        let test = try TestSession(interceptors: interceptors())
        test.transport.expect("GET", "/status", .response(403))
        var status = Request(.relative("/status"))
        status.mayWait = false
        #expect(
            try await httpError { _ = try await test.session.response(for: status) }?.code == .blocked)
        test.transport.expect("GET", "/a", .text("a"))
        #expect(try await send("/a", test) == 200)
        #expect(test.clock.waits.isEmpty)
        test.transport.expect("POST", "/a", .response(403))
        let post = Request(method: "POST", .relative("/a"))
        #expect(try await httpError { _ = try await test.session.response(for: post) }?.code == .blocked)
        try test.transport.verify()
    }

    /// With one place for requests, three wait at the same time.
    @Test func noPlaceIsOccupiedWhileABlockedHostIsWaitedFor() async throws {
        let clock = VirtualClock(.byHand), answers = Mutex(0)
        let test = try TestSession(clock: clock, concurrency: .fixed(1), interceptors: interceptors()) { _ in
            answers.withLock { $0 += 1 }
            return answers.withLock { $0 } == 1 ? .response(403) : .text("a")
        }
        let session = test.session
        let tasks = (0..<3).map { number in
            clock.spawn { try await session.response(for: Request(.relative("/\(number)"))).status }
        }
        clock.settle()
        #expect(clock.sleepers == 3)
        #expect(session.hold?.reason == .blocked && session.hold?.left == .seconds(120))
        clock.advance(by: .seconds(120))
        for task in tasks { #expect(try await clock.value(of: task) == 200) }
        #expect(session.statistics.waited == .seconds(120) && session.statistics.sent == 4)
    }

    /// Four requests are in flight when the block begins. With a limit of two blocks in a row, none of them fails.
    @Test func answersOfRequestsThatWereInFlightCountAsOneBlock() async throws {
        let clock = VirtualClock(.byHand), sent = Mutex(0)
        let test = try TestSession(
            clock: clock, concurrency: .fixed(4), interceptors: interceptors(limit: 2)
        ) { _ in
            let number = sent.withLock { sent in
                sent += 1
                return sent
            }
            try await clock.sleep(.seconds(1))
            return number <= 4 ? .response(403) : .text("a")
        }
        let session = test.session
        let tasks = (0..<4).map { number in
            clock.spawn { try await session.response(for: Request(.relative("/\(number)"))).status }
        }
        clock.settle()
        clock.advance(by: .seconds(125))
        for task in tasks { #expect(try await clock.value(of: task) == 200) }
        #expect(session.statistics.sent == 8)
    }

    @Test func aBlockIsNotStoredInTheCache() async throws {
        let folder = try TemporaryFolder(), clock = VirtualClock(.jumping)
        let cache = CanonicalURLCache(
            file: URL(fileURLWithPath: folder.file("cache.sqlite")), origin: TestSession.base,
            now: { clock.now.timeIntervalSince1970 })
        let test = try TestSession(
            clock: clock, longestWait: .seconds(10), cache: cache, interceptors: interceptors())
        test.transport.expect(
            "GET", "/a",
            .text(
                "<p>", etag: "\"1\"", headers: ["Cache-Control": "max-age=9999"], contentType: "text/html"),
            .text("{}", etag: "\"2\"", headers: ["Cache-Control": "max-age=9999"]))
        #expect(try await httpError { _ = try await send("/a", test) }?.code == .blocked)
        test.clock.advance(by: .seconds(60))
        let response = try await test.session.response(for: Request(.relative("/a")))
        cache.flush()
        #expect(response.source == .network && response.body == Array("{}".utf8))
        #expect(try await test.session.response(for: Request(.relative("/a"))).source == .fresh)
        try test.transport.verify()
    }

    @Test func aBlockIsNotWrittenToADownloadedFile() async throws {
        let folder = try TemporaryFolder(), test = try TestSession(interceptors: interceptors())
        test.transport.expect(
            "GET", "/a.jpg",
            .text("<html>blocked</html>", etag: "\"1\"", contentType: "text/html"),
            .response(headers: ["Content-Type": "image/jpeg"], body: [0xFF, 0xD8, 0xFF, 0xE0, 1, 2]))
        _ = try await test.session.download(TestFile("/a.jpg"), to: folder.file("a"))
        #expect(folder.contents("a") == [0xFF, 0xD8, 0xFF, 0xE0, 1, 2])
        #expect(test.transport.requests.allSatisfy { !$0.headers.has("Range") })
        #expect(test.clock.waits == [.seconds(60)])
        try test.transport.verify()
    }
}
