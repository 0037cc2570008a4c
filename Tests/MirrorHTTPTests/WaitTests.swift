import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct WaitTallyTests {
    /// Waits as (begin, end) in seconds, and their sum.
    @Test(
        arguments: [
            ([], 0), ([(0, 10)], 10), ([(0, 10), (10, 15)], 15), ([(0, 10), (20, 25)], 15),
            ([(0, 10), (2, 4)], 10), ([(0, 10), (5, 20)], 20), ([(0, 10), (5, 20), (30, 31)], 21),
            ([(3, 3)], 0),
        ] as [([(Int, Int)], Int)])
    func overlappingWaitsCountOnce(waits: [(Int, Int)], sum: Int) {
        var tally = WaitTally()
        var ids: [Int: Int] = [:]
        for second in 0...40 {
            for (index, wait) in waits.enumerated() {
                if wait.0 == second {
                    ids[index] = tally.begin(.seconds(wait.1 - wait.0), .backOff, at: .seconds(second))
                }
                if wait.1 == second, let id = ids[index] { tally.end(id, at: .seconds(second)) }
            }
        }
        #expect(tally.waited(at: .seconds(40)) == .seconds(sum))
    }

    @Test func anOpenWaitCountsUpToNow() {
        var tally = WaitTally(limit: .seconds(60))
        let id = tally.begin(.seconds(50), .throttling, at: .seconds(100))
        #expect(tally.waited(at: .seconds(130)) == .seconds(30))
        #expect(tally.left(at: .seconds(130)) == .seconds(30))
        #expect(tally.hold?.reason == .throttling && tally.hold?.until == .seconds(150))
        tally.end(id, at: .seconds(140))
        tally.end(id, at: .seconds(150))
        #expect(tally.waited(at: .seconds(200)) == .seconds(40))
        #expect(tally.hold == nil)
    }

    @Test func aWaitIsAdmittedOnlyIfItEndsWithinTheLimit() {
        var tally = WaitTally(limit: .seconds(60))
        #expect(tally.admits(.seconds(60), at: .zero) && !tally.admits(.seconds(61), at: .zero))
        let id = tally.begin(.seconds(40), .trouble, at: .zero)
        #expect(tally.admits(.seconds(50), at: .seconds(10)) && !tally.admits(.seconds(51), at: .seconds(10)))
        tally.end(id, at: .seconds(40))
        #expect(
            tally.admits(.seconds(20), at: .seconds(900)) && !tally.admits(.seconds(21), at: .seconds(900)))
        #expect(WaitTally().admits(.seconds(1_000_000), at: .zero) && WaitTally().left(at: .zero) == nil)
    }

    @Test func onlyThrottlingAndServerFailuresDelayAllRequests() {
        var tally = WaitTally()
        _ = tally.begin(.seconds(90), .backOff, at: .zero)
        #expect(tally.hold == nil)
        _ = tally.begin(.seconds(10), .throttling, at: .zero)
        _ = tally.begin(.seconds(20), .throttling, at: .zero)
        #expect(tally.hold?.until == .seconds(20))
    }

    /// However admitted waits overlap, their sum stays within the limit.
    @Test func admittedWaitsNeverExceedTheLimit() {
        let random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            var tally = WaitTally(limit: .seconds(100))
            var open: [(id: Int, until: Int)] = []
            for second in 0..<400 {
                for wait in open where wait.until == second { tally.end(wait.id, at: .seconds(second)) }
                let length = Int(random.unit() * 40)
                if random.unit() < 0.3, tally.admits(.seconds(length), at: .seconds(second)) {
                    open.append(
                        (tally.begin(.seconds(length), .backOff, at: .seconds(second)), second + length))
                    if length == 0, let last = open.popLast() { tally.end(last.id, at: .seconds(second)) }
                }
                #expect(tally.waited(at: .seconds(second)) <= .seconds(100))
            }
        }
    }
}

@Suite struct SessionWaitTests {
    @Test func aSessionAddsUpItsWaitsWithoutPacing() async throws {
        let test = try TestSession(
            interceptors: [
                ThrottleInterceptor(), PacingInterceptor(interval: .seconds(3)), RetryInterceptor(),
            ])
        test.transport.expect(
            "GET", "/a", .response(429, headers: ["Retry-After": "40"]), .response(500), .text("ok"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(test.clock.waits == [.seconds(40), .seconds(0.125), .seconds(2.875)])
        #expect(test.session.statistics.waited == .seconds(40.125))
    }

    @Test func simultaneousWaitsOfRequestsCountOnce() async throws {
        let test = try TestSession(
            clock: VirtualClock(.byHand), interceptors: [ThrottleInterceptor()])
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "30"]), .text("a"))
        test.transport.expect("GET", "/b", .text("b"))
        let session = test.session
        let a = Task { try await session.response(for: Request(.relative("/a"))) }
        await test.clock.waitForSleepers(1)
        let b = Task { try await session.response(for: Request(.relative("/b"))) }
        await test.clock.waitForSleepers(2)
        test.clock.advance(by: .seconds(10))
        #expect(session.statistics.waited == .seconds(10))
        #expect(session.hold?.reason == .throttling && session.hold?.left == .seconds(20))
        test.clock.advance(by: .seconds(20))
        _ = try await (a.value, b.value)
        #expect(session.statistics.waited == .seconds(30) && session.hold == nil)
    }

    @Test func aCancelledWaitCountsUntilItsCancellation() async throws {
        let test = try TestSession(clock: VirtualClock(.byHand), interceptors: [ThrottleInterceptor()])
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "30"]))
        let session = test.session
        let request = Task { try await session.response(for: Request(.relative("/a"))) }
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .seconds(7))
        request.cancel()
        await #expect(throws: CancellationError.self) { _ = try await request.value }
        #expect(session.statistics.waited == .seconds(7))
    }

    @Test func noRequestIsRepeatedAfterTheWaitLimitIsUsedUp() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.session.limitWaits(to: .seconds(0.3))
        test.transport.expect("GET", "/a", .response(503), .response(503))
        test.transport.expect("GET", "/b", .response(500))
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 503)
        #expect(test.clock.waits == [.seconds(0.125)])
        // The remaining time would allow the first wait of another request.
        test.transport.expect("GET", "/b", .response(500))
        #expect(try await test.session.response(for: Request(.relative("/b"))).status == 500)
        #expect(test.session.statistics.waited == .seconds(0.25))
        try test.transport.verify()
    }

    @Test func throttlingObeysTheWaitLimit() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor()])
        test.session.limitWaits(to: .seconds(100))
        test.transport.always("GET", "/a", .response(429, headers: ["Retry-After": "40"]))
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 429)
        #expect(test.clock.waits == [.seconds(40), .seconds(40)])
        #expect(test.session.statistics.waited == .seconds(80))
    }

    @Test func copiesOfASessionHaveTheirOwnWaitLimits() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor()])
        let hasty = test.session.withSeparateWaits(upTo: .seconds(5))
        let patient = test.session.withSeparateWaits(upTo: .seconds(60))
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "40"]), .text("ok"))
        test.transport.expect("GET", "/b", .response(429, headers: ["Retry-After": "40"]))
        _ = test.session.withSeparateWaits(upTo: .zero)
        #expect(try await patient.response(for: Request(.relative("/a"))).status == 200)
        #expect(try await hasty.response(for: Request(.relative("/b"))).status == 429)
        #expect(test.clock.waits == [.seconds(40)])
        #expect(patient.waitLeft == .seconds(20) && hasty.waitLeft == .seconds(5))
        #expect(test.session.statistics.sent == 3)
        try test.transport.verify()
    }

    @Test func aRequestThatMustNotWaitIsSentOnceAndAtOnce() async throws {
        let test = try TestSession(
            interceptors: [
                ThrottleInterceptor(), PacingInterceptor(interval: .seconds(9)), RetryInterceptor(),
            ])
        test.session.limitWaits(to: .seconds(60))
        // Another request is waiting.
        test.transport.always("GET", "/busy", .response(429, headers: ["Retry-After": "50"]))
        _ = try await httpError { _ = try await test.session.response(for: Request(.relative("/busy"))) }
        let waits = test.clock.waits.count
        for status in [200, 429, 500, 503] {
            test.transport.expect(
                "GET", "/now", .response(status, headers: status == 200 ? [:] : ["Retry-After": "5"]))
            var request = Request(.relative("/now"))
            request.mayWait = false
            #expect(try await test.session.response(for: request).status == status)
        }
        #expect(test.clock.waits.count == waits)
        try test.transport.verify()
    }

    @Test func aLoginForARequestThatMustNotWaitDoesNotWait() async throws {
        let test = try TestSession(
            interceptors: [CookieLoginInterceptor(name: "n", password: "p"), ThrottleInterceptor()])
        test.transport.expect(
            "POST", test.transport.beside("/_session"), .response(429, headers: ["Retry-After": "50"]))
        var request = Request(.beside("/status"))
        request.mayWait = false
        let error = try await httpError { _ = try await test.session.response(for: request) }
        #expect(error?.status == 429 && test.clock.waits.isEmpty)
        try test.transport.verify()
    }
}
