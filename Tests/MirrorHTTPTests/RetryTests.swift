import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct RetryDecisionTests {
    @Test(arguments: [
        (TransportError.Code.cannotConnect, true), (.connectTimedOut, true), (.idleTimedOut, true),
        (.timedOut, true), (.connectionLost, true), (.truncatedBody, true), (.unsupportedURL, false),
        (.cannotResolveHost, false), (.badCertificate, false), (.bodyTooLarge, false),
        (.headersTooLarge, false), (.badResponse, false), (.brokenCoding, true), (.unknownCoding, false),
        (.cannotConnectByProxy, true), (.untrustedProxy, false), (.unreadableAuthorities, false),
    ])
    func eachTransportErrorTellsWhetherARetryIsUseful(code: TransportError.Code, worth: Bool) throws {
        #expect(TransportError(code, "").isWorthRetry == worth)
        guard code == .brokenCoding || code == .unknownCoding || code == .badResponse else { return }
        let address = try #require(WebAddress("http://a.test/"))
        #expect(HTTPError.from(TransportError(code, ""), at: address).isWorthRetry == worth)
    }

    @Test(arguments: [
        (200, true, RetryInterceptor.Verdict.success), (404, true, .success), (304, true, .success),
        (500, true, .transient(timeout: false)), (502, true, .transient(timeout: false)),
        (503, true, .transient(timeout: false)), (504, true, .transient(timeout: true)),
        (408, true, .transient(timeout: true)), (501, true, .final), (505, true, .final),
        (500, false, .final), (503, false, .final),
    ])
    func eachStatusTellsWhetherARetryIsUseful(
        status: Int, idempotent: Bool, verdict: RetryInterceptor.Verdict
    ) {
        let response = Response(head: ResponseHead(status: status))
        #expect(RetryInterceptor.classify(.success(response), isIdempotent: idempotent) == verdict)
    }

    @Test(arguments: [
        (true, true, RetryInterceptor.Verdict.transient(timeout: false)),
        (true, false, .transient(timeout: false)),
        (false, true, .final),
        (false, false, .transient(timeout: false)),
    ])
    func requestsThatAreNotIdempotentAreRepeatedOnlyIfNothingWasSent(
        idempotent: Bool, reached: Bool, verdict: RetryInterceptor.Verdict
    ) {
        let error = TransportError(.connectionLost, "", mayHaveReachedServer: reached)
        #expect(RetryInterceptor.classify(.failure(error), isIdempotent: idempotent) == verdict)
    }

    @Test(arguments: [
        (0, 1.0, 0.25), (1, 1.0, 0.5), (2, 1.0, 1), (3, 1.0, 2), (6, 1.0, 16), (7, 1.0, 20), (500, 1.0, 20),
        (2, 0.0, 0), (2, 0.25, 0.25),
    ])
    func retryWaitsHaveFullJitterUnderACap(n: Int, random: Double, seconds: Double) {
        #expect(RetryPolicy().wait(before: n, random: random) == .seconds(seconds))
    }

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7 ", 7), ("Tue, 14 Nov 2023 22:13:50 GMT", 30),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0), ("99999999999999999999999", 315_360_000),
    ])
    func retryAfterIsParsedAsSecondsOrADate(value: String, seconds: Int) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(RetryAfter.wait(value, now: now) == .seconds(seconds))
    }

    /// The server's clock may differ from the local one, which shows 22:13:20.
    @Test(
        arguments: [
            ("Tue, 14 Nov 2023 22:14:52 GMT", "Tue, 14 Nov 2023 22:14:50 GMT", 2),
            ("Tue, 14 Nov 2023 21:13:22 GMT", "Tue, 14 Nov 2023 21:13:20 GMT", 2),
            ("Tue, 14 Nov 2023 22:13:50 GMT", "Tue, 14 Nov 2023 22:20:00 GMT", 0),
            ("Tue, 14 Nov 2023 22:13:50 GMT", nil, 30), ("Tue, 14 Nov 2023 22:13:50 GMT", "yesterday", 30),
            ("7", "Tue, 14 Nov 2023 22:20:00 GMT", 7),
        ] as [(String, String?, Int)])
    func aRetryAfterDateIsRelativeToTheResponsesDate(value: String, date: String?, seconds: Int) {
        var answer: HeaderFields = ["Retry-After": value]
        answer["Date"] = date
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(RetryAfter.wait(answer, now: now) == .seconds(seconds))
    }

    @Test(arguments: [nil, "", "soon", "-1", "1.5"])
    func anInvalidRetryAfterIsIgnored(value: String?) {
        #expect(RetryAfter.wait(value, now: Date()) == nil)
    }
}

@Suite struct RetryBudgetTests {
    @Test func theRetryBudgetTakesAndReturnsPointsWithinItsCapacity() {
        let budget = RetryBudget()
        #expect(budget.take(afterTimeout: false) == 5)
        #expect(budget.take(afterTimeout: true) == 10)
        #expect(budget.remaining == 485)
        budget.succeed(taken: 10)
        budget.succeed(taken: 0)
        #expect(budget.remaining == 496)
        for _ in 0..<100 { budget.succeed(taken: 0) }
        #expect(budget.remaining == 500)
    }

    @Test func anEmptyRetryBudgetAllowsNoRepetition() {
        let budget = RetryBudget()
        for _ in 0..<100 { #expect(budget.take(afterTimeout: false) == 5) }
        #expect(budget.take(afterTimeout: false) == nil)
        #expect(budget.remaining == 0)
    }
}

@Suite struct RetryingSessionTests {
    @Test func temporaryFailuresAreRepeatedAfterJitteredWaits() async throws {
        let retry = RetryInterceptor()
        let test = try TestSession(interceptors: [retry])
        test.transport.expect(
            "GET", "/a", .response(500), .failure(.connectionLost), .truncated([1, 2, 3], after: 1),
            .text("ok"))
        let response = try await test.session.response(for: Request(.relative("/a")))
        #expect(response.body == Array("ok".utf8))
        #expect(test.clock.waits == [.seconds(0.125), .seconds(0.25), .seconds(0.5)])
        #expect(test.session.statistics.retried == 3)
        #expect(test.session.statistics.sent == 4)
        // Only the successful repetition returns its points.
        #expect(retry.budget.remaining == 490)
        try test.transport.verify()
    }

    @Test func theLastOutcomeIsReturnedAfterTheLastRepetition() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor(policy: RetryPolicy(limit: 2))])
        test.transport.always("GET", "/a", .response(503))
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/a")), known: nil)
        }
        #expect(error?.code == .serverError)
        #expect(test.transport.requests.count == 3)
    }

    @Test func anEmptyRetryBudgetReturnsFailuresAtOnce() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor(budget: RetryBudget(capacity: 12))])
        test.transport.always("GET", "/a", .response(500))
        for expected in [3, 4, 5] {
            #expect(try await test.session.response(for: Request(.relative("/a"))).status == 500)
            #expect(test.transport.requests.count == expected)
        }
    }

    @Test func aPostIsRepeatedOnlyIfNothingWasSent() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.expect(
            "POST", "/a", .failure(.cannotConnect, mayHaveReachedServer: false), .response(500))
        let response = try await test.session.response(
            for: Request(method: "POST", .relative("/a"), body: [1]))
        #expect(response.status == 500)
        try test.transport.verify()
    }

    @Test func cancellingARequestEndsItsWaitAtOnce() async throws {
        let test = try TestSession(clock: VirtualClock(.byHand), interceptors: [RetryInterceptor()])
        test.transport.expect("GET", "/a", .response(500))
        let task = Task { try await test.session.response(for: Request(.relative("/a"))) }
        await test.clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try test.transport.verify()
    }
}

@Suite struct ThrottleTests {
    @Test func retryAfterIsTheMinimumWait() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor(), RetryInterceptor()])
        test.transport.expect(
            "GET", "/a", .response(429, headers: ["Retry-After": "7"], body: Array("never read".utf8)),
            .response(503, headers: ["Retry-After": "Tue, 14 Nov 2023 22:13:40 GMT"]), .text("ok"))
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 200)
        #expect(test.clock.waits == [.seconds(7), .seconds(13)])
        // The 429's body was not read.
        #expect(test.session.statistics.bytesReceived == 2)
    }

    @Test func a429WithoutRetryAfterHasAJitteredWait() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor()])
        test.transport.expect("GET", "/a", .response(429), .response(429), .text("ok"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(test.clock.waits == [.seconds(0.5), .seconds(1)])
    }

    @Test func retryAfterIsLimitedToTheLongestWait() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor(longest: .seconds(60))])
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "86400"]), .text("ok"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(test.clock.waits == [.seconds(60)])
    }

    @Test func aRequestedWaitIsObeyedCompletelyOrTheRequestFails() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor()])
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "180"]), .text("ok"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(test.clock.waits == [.seconds(180)])
        test.transport.expect("GET", "/b", .response(429, headers: ["Retry-After": "315360000"]))
        #expect(try await test.session.response(for: Request(.relative("/b"))).status == 429)
        #expect(test.clock.waits == [.seconds(180)])
        try test.transport.verify()
    }

    @Test func oneRefusalDelaysAllRequestsToItsHostOnly() async throws {
        let test = try TestSession(
            clock: VirtualClock(.byHand),
            addresses: ["other.test": ["93.184.216.34"], "origin.test": ["10.0.0.1"]],
            interceptors: [ThrottleInterceptor()])
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "5"]), .text("a"))
        test.transport.expect("GET", "/b", .text("b"))
        test.transport.expect("GET", "http://other.test/c", .text("c"))
        let session = test.session
        let a = Task { try await session.response(for: Request(.relative("/a"))) }
        await test.clock.waitForSleepers(1)
        let b = Task { try await session.response(for: Request(.relative("/b"))) }
        await test.clock.waitForSleepers(2)
        _ = try await session.response(for: Request(.absolute("http://other.test/c")))
        #expect(test.transport.lines == ["GET /a", "GET http://other.test/c"])
        test.clock.advance(by: .seconds(5))
        _ = try await (a.value, b.value)
        try test.transport.verify()
    }

    @Test func aRequestWaitsNoLongerThanItsLimit() async throws {
        let test = try TestSession(longestWait: .seconds(100), interceptors: [ThrottleInterceptor()])
        test.transport.always("GET", "/a", .response(429, headers: ["Retry-After": "40"]))
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 429)
        #expect(test.clock.waits == [.seconds(40), .seconds(40)])
    }

    @Test func aPostIsRepeatedAfterA429ButNotAfterA503() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor(), RetryInterceptor()])
        test.transport.expect(
            "POST", "/a", .response(429, headers: ["Retry-After": "1"]),
            .response(503, headers: ["Retry-After": "1"]))
        let response = try await test.session.response(for: Request(method: "POST", .relative("/a")))
        #expect(response.status == 503)
        try test.transport.verify()
    }
}

@Suite struct PacingTests {
    @Test func pacingSeparatesRequestsToAHost() async throws {
        let test = try TestSession(
            clock: VirtualClock(.byHand), interceptors: [PacingInterceptor(interval: .seconds(1))])
        test.transport.always("GET", "/a", .text("ok"))
        let session = test.session
        let tasks = (0..<3).map { _ in Task { try await session.response(for: Request(.relative("/a"))) } }
        await test.clock.waitForSleepers(2)
        #expect(Set(test.clock.waits) == [.seconds(1), .seconds(2)])
        test.clock.advance(by: .seconds(2))
        for task in tasks { _ = try await task.value }
    }

    @Test(.timeLimit(.minutes(1)))
    func aPacedRequestWaitsForTheEndOfItsHostsThrottling() async throws {
        let throttle = ThrottleInterceptor()
        let test = try TestSession(
            clock: VirtualClock(.byHand),
            interceptors: [throttle, PacingInterceptor(interval: .seconds(10), behind: throttle)])
        test.transport.expect("GET", "/first", .text("ok"))
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "60"]), .text("a"))
        test.transport.expect("GET", "/b", .text("b"))
        let session = test.session, clock = test.clock
        _ = try await session.response(for: Request(.relative("/first")))
        let a = Task { try await session.response(for: Request(.relative("/a"))) }
        await clock.waitForSleepers(1)
        let b = Task { try await session.response(for: Request(.relative("/b"))) }
        await clock.waitForSleepers(2)
        // The first request is sent, and the host asks for a wait.
        clock.advance(by: .seconds(10))
        await clock.waitForSleepers(2)
        // The second request's turn is during that wait.
        clock.advance(by: .seconds(10))
        await clock.waitForSleepers(2)
        #expect(session.statistics.sent == 2)
        clock.advance(by: .seconds(50))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        _ = try await (a.value, b.value)
        #expect(session.statistics.sent == 4)
        try test.transport.verify()
    }
}
