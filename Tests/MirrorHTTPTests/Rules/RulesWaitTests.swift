import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// How long requests of a session with rules wait.
@Suite struct RulesWaitTests {
    private static let names = ["origin.test": ["93.184.216.34"], "cdn.test": ["93.184.216.35"]]
    private static let blocks = [
        HostBlockRule(.status(403), .wait(.seconds(120))),
        HostBlockRule(.mediaType("text/html"), .wait(.seconds(60))),
    ]

    @Test func budgetAndBlocksWorkWithTheStandardInterceptors() async throws {
        let test = try TestSession(interceptors: try .standard())
        let session = test.session.obeying(
            try HostRules(limits: .init(requests: 1, per: .seconds(50)), blocks: Self.blocks))
        test.transport.expect("GET", "/a", .response(403), .text("a"))
        test.transport.expect("GET", "/b", .text("b"))
        for path in ["/a", "/b"] {
            #expect(try await session.response(for: Request(.relative(path))).status == 200)
        }
        #expect(test.clock.waits == [.seconds(120), .seconds(50)])
    }

    /// Without the rules' own limit, a request would wait for at most two of these blocks.
    @Test func aRequestSurvivesFourBlocksOfTwoMinutes() async throws {
        let test = try TestSession(interceptors: try .standard())
        let session = test.session.obeying(try HostRules(blocks: Self.blocks))
        let block = ScriptedAnswer.response(403)
        test.transport.expect("GET", "/a", block, block, block, block, .text("a"))
        #expect(try await session.response(for: Request(.relative("/a"))).status == 200)
        #expect(test.clock.waits == Array(repeating: .seconds(120), count: 4))
        try test.transport.verify()
    }

    @Test func theRunsLimitOfWaitsEndsTheWaitForBlocks() async throws {
        let test = try TestSession(interceptors: try .standard())
        let session = test.session.obeying(
            try HostRules(limits: .init(requests: 1, per: .seconds(1_000)), blocks: Self.blocks))
        session.limitWaits(to: .seconds(250))
        test.transport.always("GET", "/a", .response(403))
        for sent in [3, 3] {
            let error = try await httpError { _ = try await session.response(for: Request(.relative("/a"))) }
            #expect(error?.code == .blocked && error?.retryAfter == .seconds(120))
            #expect(test.transport.requests.count == sent)
        }
        // Only the waits for the blocks count, not those for slots.
        #expect(session.statistics.waited == .seconds(240))
        #expect(test.clock.waits == [.seconds(120), .seconds(880), .seconds(120), .seconds(880)])
    }

    @Test func aNewSessionKeepsTheRunsLimitOfWaits() throws {
        let test = try TestSession()
        test.session.limitWaits(to: .seconds(7))
        #expect(test.session.obeying(try HostRules()).waitLeft == .seconds(7))
    }

    /// Each slot is ten minutes after the one before, and a request may wait for five minutes for other reasons.
    @Test func aRequestMayWaitForItsSlotForAnyTime() async throws {
        let clock = VirtualClock(.byHand)
        let test = try TestSession(clock: clock, interceptors: try .standard()) { _ in .text("a") }
        let session = test.session.obeying(try HostRules(limits: .init(requests: 6, per: .seconds(3_600))))
        session.limitWaits(to: .seconds(1))
        let tasks = (0..<7).map { number in
            clock.spawn { try await session.response(for: Request(.relative("/\(number)"))).status }
        }
        clock.settle()
        clock.advance(by: .seconds(3_600))
        for task in tasks { #expect(try await clock.value(of: task) == 200) }
        #expect(session.configuration.longestWait == .seconds(300))
        #expect(session.statistics.waited == .zero)
    }

    /// The host blocks an address after every 39 answers, so the last requests wait for three blocks of two minutes.
    @Test func requestsSurviveTheBlocksOfOthers() async throws {
        let clock = VirtualClock(.byHand)
        let state = Mutex<(answers: Int, blocked: Set<String>)>((0, []))
        let test = try TestSession(clock: clock, interceptors: try .standard()) { request in
            state.withLock { state in
                if state.answers >= 39, state.blocked.insert(request.url).inserted {
                    state.answers = 0
                    return .response(403)
                }
                state.answers += 1
                return .text("{}")
            }
        }
        let session = test.session.obeying(try HostRules(limits: .init(requests: 1), blocks: Self.blocks))
        let tasks = (0..<128).map { number in
            clock.spawn { try await session.response(for: Request(.relative("/\(number)"))).body }
        }
        clock.settle()
        clock.advance(by: .seconds(1_000))
        for task in tasks { #expect(try await clock.value(of: task) == Array("{}".utf8)) }
        #expect(session.statistics.sent == 131 && session.statistics.waited == .seconds(360))
    }

    /// JSON and pictures, redirects, repetitions, and two hosts, of which each has its own budget.
    @Test func noSecondContainsMoreThan21RequestsToAHost() async throws {
        let clock = VirtualClock(.byHand)
        let sent = Mutex<[(isOrigin: Bool, time: Duration)]>([])
        let random = SeededRandom(seed: 46)
        let test = try TestSession(
            clock: clock, concurrency: .fixed(32), addresses: Self.names, interceptors: try .standard()
        ) { request in
            let isOrigin = request.url.hasPrefix(TestSession.base)
            sent.withLock { $0.append((isOrigin, clock.elapsed)) }
            try await clock.sleep(.milliseconds(20 + Int(random.next() % 300)))
            switch random.next() % 10 {
            case 0: return .response(500)
            case 1: return .response(429, headers: ["Retry-After": "1"])
            case 2 where isOrigin: return .response(302, headers: ["Location": "http://cdn.test/moved"])
            default: return .text("{}")
            }
        }
        let session = test.session.obeying(
            try HostRules(limits: .init(requests: 20), hosts: ["cdn.test"]))
        let tasks = (0..<300).map { number in
            clock.spawn {
                let target: Request.Target =
                    number % 2 == 0 ? .relative("/\(number)") : .absolute("http://cdn.test/\(number)")
                var request = Request(target)
                if number % 3 == 0 { request.kind = .media }
                return try? await session.response(for: request).status
            }
        }
        clock.settle()
        clock.advance(by: .seconds(600))
        for task in tasks { #expect(await clock.value(of: task) != nil) }
        for isOrigin in [true, false] {
            let times = sent.withLock { $0 }.filter { $0.isOrigin == isOrigin }.map(\.time)
            #expect(times.count > 150)
            let most = times.map { start in times.count { $0 >= start && $0 <= start + .seconds(1) } }.max()
            #expect((10...21).contains(try #require(most)))
        }
    }
}
