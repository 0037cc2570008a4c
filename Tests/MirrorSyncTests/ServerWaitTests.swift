import Catalogue
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite struct ServerWaitTests {
    /// A session in virtual time with the standard interceptors, and the reported waits.
    private struct Fixture {
        let transport = ScriptedTransport()
        let clock: VirtualClock
        let session: InterceptableSession
        let monitor: SyncMonitor
        let wait: ServerWait
        let reported = ReportedWaits()

        final class ReportedWaits: Sendable {
            let waits = Mutex<[Waiting]>([])
        }

        init(_ mode: VirtualClock.Mode = .jumping, limit: Duration = .seconds(3_600), random: Double = 1)
            throws
        {
            let clock = VirtualClock(mode), reported = reported
            self.clock = clock
            session = try InterceptableSession(
                base: transport.base, transport: transport, cache: nil, interceptors: .standard(),
                configuration: SessionConfiguration(clock: clock.sessionClock, random: { random }))
            monitor = SyncMonitor { event in
                if case .waiting(let waiting) = event { reported.waits.withLock { $0.append(waiting) } }
            }
            wait = ServerWait(
                session: session, router: Router(partner: "p"), limit: limit, monitor: monitor)
        }

        func answers(_ answers: ScriptedAnswer...) {
            for answer in answers { transport.expect("GET", transport.beside("/status"), answer) }
        }
    }

    @Test(arguments: [
        (ScriptedAnswer.response(200), PullResult.healthy), (.response(500), .inTrouble),
        (.response(503), .unclear), (.response(404), .unclear), (.response(401), .unclear),
        (.response(429), .unclear),
        (.response(204), .unclear),
        (.response(302, headers: ["Location": "http://elsewhere.test/"]), .unclear),
        (.failure(.cannotConnect), .unclear), (.failure(.timedOut), .unclear),
        (.truncated([1, 2, 3], after: 1), .unclear),
    ])
    func theStatusIsRequestedOnceAndInterpreted(scripted: ScriptedAnswer, answer: PullResult) async throws {
        let test = try Fixture()
        test.answers(scripted)
        #expect(try await test.wait.askStatus() == answer)
        #expect(test.clock.waits.isEmpty)
        try test.transport.verify()
    }

    @Test func theStatusRequestBypassesTheCacheAndHasAShortTimeLimit() throws {
        let request = try StatusOperation(Router(partner: "p")).request()
        #expect(request.target == .beside("/status") && request.cache == .bypass && !request.mayWait)
        #expect(request.limits?.whole == .seconds(10))
    }

    @Test func retryDelaysFollowTheStatusAndStartOverAfterASuccess() async throws {
        let test = try Fixture()
        test.answers(.response(500), .response(503), .response(500), .response(200), .response(500))
        for (answer, kind) in [
            (PullResult.inTrouble, RetryDelay.Kind.slow), (.unclear, .fast), (.inTrouble, .slow),
        ] {
            #expect(try await test.wait.askStatus() == answer)
            #expect(try await test.wait.wait(kind))
        }
        #expect(test.clock.waits == [.seconds(60), .seconds(10), .seconds(120)])
        #expect(try await test.wait.askStatus() == .healthy)
        #expect(try await test.wait.askStatus() == .inTrouble)
        #expect(try await test.wait.wait(.slow))
        #expect(test.clock.waits.last == .seconds(60))
        #expect(
            test.reported.waits.withLock { $0.map(\.reason) } == [.trouble, .overloaded, .trouble, .trouble])
        try test.transport.verify()
    }

    /// The waits are 60, 120 and 240 s, then 80 s of the next 480 s.
    @Test func theLastRetryDelayIsShortenedToTheRestOfTheBudget() async throws {
        let test = try Fixture(limit: .seconds(500))
        var results: [Bool] = []
        while results.last != false, results.count < 10 {
            results.append(try await test.wait.wait(.slow))
        }
        #expect(results == [true, true, true, true, false])
        #expect(test.clock.waits == [.seconds(60), .seconds(120), .seconds(240), .seconds(80)])
        #expect(test.session.statistics.waited == .seconds(500))
    }

    @Test func waitsOfTheSessionCountAgainstTheSameBudget() async throws {
        let test = try Fixture(limit: .seconds(100))
        test.transport.expect(
            "GET", "/partner/p/artworks", .response(429, headers: ["Retry-After": "70"]), .text("[]"))
        _ = try await test.session.response(for: Request(.relative("/partner/p/artworks")))
        #expect(try await test.wait.wait(.slow))
        #expect(test.clock.waits == [.seconds(70), .seconds(30)])
        #expect(try await !test.wait.wait(.fast))
        // From then on, the session doesn't wait either.
        test.transport.expect("GET", "/partner/p/shows", .response(503))
        #expect(try await test.session.response(for: Request(.relative("/partner/p/shows"))).status == 503)
        #expect(test.clock.waits.count == 2)
        try test.transport.verify()
    }

    @Test func withoutABudgetThereIsNoWaitForTheServer() async throws {
        let test = try Fixture(limit: .zero)
        #expect(try await !test.wait.wait(.fast))
        #expect(test.clock.waits.isEmpty && test.reported.waits.withLock { $0.isEmpty })
    }

    @Test func theStatusIsRequestedEvenFromAThrottledHost() async throws {
        let test = try Fixture(limit: .seconds(10))
        let first = "/partner/p/artworks", second = "/partner/p/shows"
        for list in [first, second] {
            test.transport.expect("GET", list, .response(429, headers: ["Retry-After": "90"]))
        }
        #expect(try await test.session.response(for: Request(.relative(first))).status == 429)
        // After a second refusal for another URL, the whole host is throttled.
        _ = try? await test.session.response(for: Request(.relative(second)))
        await #expect(throws: HTTPError.self) {
            _ = try await test.session.response(for: Request(.relative("/partner/p/albums")))
        }
        test.answers(.response(200))
        #expect(try await test.wait.askStatus() == .healthy)
        #expect(test.clock.waits.isEmpty)
        try test.transport.verify()
    }

    @Test func theRemainingWaitCountsDownAndCancellingEndsIt() async throws {
        let test = try Fixture(.byHand)
        test.answers(.response(503))
        _ = try await test.wait.askStatus()
        #expect(test.monitor.waiting == nil)
        let wait = test.wait
        let waiting = Task { try await wait.wait(.fast) }
        await test.clock.waitForSleepers(1)
        #expect(test.monitor.waiting == Waiting(.overloaded, status: 503, left: .seconds(10)))
        test.clock.advance(by: .seconds(4))
        #expect(test.monitor.waiting?.left == .seconds(6))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        #expect(test.monitor.waiting == nil)
        #expect(test.session.statistics.waited == .seconds(4))
    }

    @Test func aCancelledTaskDoesNotRequestTheStatus() async throws {
        let test = try Fixture()
        let wait = test.wait
        let request = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await wait.askStatus()
        }
        await #expect(throws: CancellationError.self) { _ = try await request.value }
        #expect(test.transport.requests.isEmpty)
    }

    @Test func theDurationOfStatusRequestsCountsAgainstTheBudget() async throws {
        let clock = VirtualClock(.jumping)
        let transport = ScriptedTransport { _ in
            try await clock.sleep(.seconds(8))
            return .failure(.timedOut)
        }
        let session = try InterceptableSession(
            base: transport.base, transport: transport,
            configuration: SessionConfiguration(clock: clock.sessionClock))
        let wait = ServerWait(
            session: session, router: Router(partner: "p"), limit: .seconds(15), monitor: SyncMonitor())
        #expect(try await wait.askStatus() == .unclear)
        #expect(session.statistics.waited == .seconds(8) && session.waitLeft == .seconds(7))
    }

    @Test(arguments: [
        (
            WaitFailure.repeated, 200 as Int?, 3_600,
            "origin.test answered 503 for /partner/p/artworks each time the sync started over, though its status is 200. Try again later; if that doesn't help, report it to the partner. Until then --fail-fast doesn't start over, and --max-wait limits the waits."
        ),
        (
            .budgetSpent, 500, 5_400,
            "origin.test answered 503 for /partner/p/artworks, and its status was still 500 when the sync had waited 1 h 30 min, the most that --max-wait allows. Try again later, allow a longer wait, or use --fail-fast, which doesn't wait."
        ),
        (
            .budgetSpent, nil, 42,
            "origin.test answered 503 for /partner/p/artworks, and it still gave no status when the sync had waited 42 s, the most that --max-wait allows. Try again later, allow a longer wait, or use --fail-fast, which doesn't wait."
        ),
        (
            .budgetSpent, nil, 0,
            "origin.test answered 503 for /partner/p/artworks, and no wait for it is allowed. Try again later, or allow one with --max-wait; --fail-fast doesn't ask for one."
        ),
    ])
    func theErrorAfterGivingUpStatesTheAnswersAndTheRemedy(
        failure: WaitFailure, status: Int?, limit: Int, sentence: String
    ) {
        let error = failure.error(
            FailedRequest(url: "/partner/p/artworks?ids=1&size=all", status: 503), host: "origin.test",
            status: status, limit: .seconds(limit))
        #expect(error.message == sentence && error.code == .serverTrouble)
    }

    @Test func theErrorAfterGivingUpNamesARequestWithoutAnAnswer() {
        let error = WaitFailure.budgetSpent.error(
            FailedRequest(url: "/artwork/a and other objects", status: nil), host: "origin.test", status: nil,
            limit: .seconds(60))
        #expect(
            error.message.hasPrefix(
                "origin.test gave no answer for /artwork/a and other objects, and it still gave no status when"
            ))
    }

    @Test func theErrorAfterGivingUpNamesThrottling() {
        let error = WaitFailure.repeated.error(
            FailedRequest(url: "/a", status: 429), host: "origin.test", status: 200, limit: .seconds(20))
        #expect(
            error.message
                == "origin.test answered 429 for /a each time the sync started over: it asks to slow down for longer than may be waited. Try again later, with fewer --jobs, or with a longer --max-wait; --fail-fast doesn't start over."
        )
    }

    @Test func aThrottledSessionIsShownAsWaiting() async throws {
        let test = try Fixture(.byHand)
        test.transport.expect("GET", "/x", .response(429, headers: ["Retry-After": "30"]), .text("x"))
        test.monitor.waits(Waiting(.trouble, status: 500, left: .zero), in: test.session)
        let session = test.session
        let request = Task { try await session.response(for: Request(.relative("/x"))) }
        await test.clock.waitForSleepers(1)
        #expect(test.monitor.waiting == Waiting(.throttled, left: .seconds(30)))
        test.clock.advance(by: .seconds(30))
        _ = try await request.value
        #expect(test.monitor.waiting == nil)
    }
}
