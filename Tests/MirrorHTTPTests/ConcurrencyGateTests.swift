import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

@Suite struct ConcurrencyGateTests {
    /// A server whose responses take one second of virtual time, and which counts requests in flight by host.
    private final class SlowServer: Sendable {
        let clock = VirtualClock(.byHand)
        private let counts = Mutex<[String: (now: Int, most: Int)]>([:])
        let statuses = Mutex<[Int]>([])

        func most(_ host: String = "origin.test") -> Int { counts.withLock { $0[host]?.most ?? 0 } }

        func answer(_ request: TransportRequest) async throws -> ScriptedAnswer? {
            let host = request.url.split(separator: "/")[1]
            counts.withLock { counts in
                let count = counts[String(host)] ?? (0, 0)
                counts[String(host)] = (count.now + 1, max(count.most, count.now + 1))
            }
            defer { counts.withLock { $0[String(host)]?.now -= 1 } }
            try await clock.sessionClock.sleep(.seconds(1))
            let status = statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
            return .response(status, body: Array("{}".utf8))
        }
    }

    private func session(
        _ server: SlowServer, _ concurrency: Concurrency = .adaptive, interceptors: [any Interceptor] = []
    ) throws -> InterceptableSession {
        try TestSession(
            clock: server.clock, concurrency: concurrency, addresses: ["cdn.test": ["93.184.216.34"]],
            interceptors: interceptors, handler: server.answer
        ).session
    }

    @Test(.timeLimit(.minutes(5))) func theFirstRequestGoesAloneThenSixteenAtATime() async throws {
        let server = SlowServer()
        let session = try session(server)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask { try await session.response(for: Request(.relative("/\(number)"))).status }
            }
            for expected in [1, 16, 16, 7] {
                await server.clock.waitForSleepers(expected)
                for _ in 0..<50 { await Task.yield() }
                #expect(server.clock.sleepers == expected)
                server.clock.advance(by: .seconds(1))
            }
            try await group.waitForAll()
        }
        #expect(server.most() == 16)
        #expect(session.statistics.concurrency == 16)
    }

    @Test(.timeLimit(.minutes(5))) func aCancelledWaitingRequestIsNotSentAndTheNextOneIs() async throws {
        let server = SlowServer()
        let session = try session(server, .fixed(1))
        let first = Task { try await session.response(for: Request(.relative("/first"))).status }
        await server.clock.waitForSleepers(1)
        let second = Task { try await session.response(for: Request(.relative("/second"))).status }
        for _ in 0..<50 { await Task.yield() }
        let third = Task { try await session.response(for: Request(.relative("/third"))).status }
        for _ in 0..<50 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        server.clock.advance(by: .seconds(1))
        await server.clock.waitForSleepers(1)
        server.clock.advance(by: .seconds(1))
        #expect(try await first.value == 200)
        #expect(try await third.value == 200)
        #expect(session.statistics.sent == 2)
    }

    @Test(.timeLimit(.minutes(5))) func aLoginNeedsNoPlaceOfItsOwn() async throws {
        let server = LoginServer()
        let session = try TestSession(
            concurrency: .fixed(1), interceptors: [CookieLoginInterceptor(name: "ann", password: "p&w d")],
            handler: server.answer
        ).session
        #expect(try await session.response(for: Request(.relative("/a"))).status == 200)
    }

    @Test(.timeLimit(.minutes(5))) func aRequestThatMustNotWaitIsSentAtOnce() async throws {
        let server = SlowServer()
        let session = try session(server, .fixed(1))
        let first = Task { try await session.response(for: Request(.relative("/first"))).status }
        await server.clock.waitForSleepers(1)
        var status = Request(.relative("/status"))
        status.mayWait = false
        let urgent = Task { [status] in try await session.response(for: status).status }
        await server.clock.waitForSleepers(2)
        server.clock.advance(by: .seconds(1))
        #expect(try await first.value == 200)
        #expect(try await urgent.value == 200)
    }

    @Test(.timeLimit(.minutes(5))) func requestsThatWaitForAThrottledHostOccupyNoPlace() async throws {
        let server = SlowServer()
        let session = try session(server, .fixed(1), interceptors: [ThrottleInterceptor()])
        server.statuses.withLock { $0 = [429] }
        let first = Task { try await session.response(for: Request(.relative("/first"))).status }
        await server.clock.waitForSleepers(1)
        server.clock.advance(by: .seconds(1))
        // The request waits before it is sent again.
        await server.clock.waitForSleepers(1)
        // A request that may not wait that long fails at once, instead of waiting for the first one's place.
        let impatient = session.withSeparateWaits(upTo: .zero)
        await #expect(throws: HTTPError.self) {
            try await impatient.response(for: Request(.relative("/second")))
        }
        server.clock.leap(by: .seconds(120))
        await server.clock.waitForSleepers(1)
        server.clock.advance(by: .seconds(1))
        #expect(try await first.value == 200)
        #expect(session.statistics.concurrency == 1)
    }

    @Test(.timeLimit(.minutes(5))) func requestsThatWaitForTheirSlotAreNotCountedAsInFlight() async throws {
        let server = SlowServer()
        let session = try session(
            server, .fixed(8), interceptors: [PacingInterceptor(interval: .seconds(10))])
        var requests: [Task<Int, any Error>] = []
        for number in 0..<4 {
            requests.append(
                Task { try await session.response(for: Request(.relative("/\(number)"))).status })
            // The first is sent. The others wait for their slots, after 10, 20 and 30 s.
            await server.clock.waitForSleepers(number + 1)
        }
        for (number, request) in requests.enumerated() {
            server.clock.advance(by: .seconds(5))
            #expect(try await request.value == 200)
            server.clock.advance(by: .seconds(5))
            await server.clock.waitForSleepers(3 - number)
        }
        #expect(session.statistics.concurrency == 1)
    }

    /// A server with HTTP/2 whose responses take 50 ms, and which counts requests in flight.
    private final class MultiplexingServer: Transport {
        let clock = VirtualClock(.byHand)
        let finished = Mutex(0)
        private let counts = Mutex((now: 0, most: 0))
        var most: Int { counts.withLock { $0.most } }

        func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
            counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            defer { counts.withLock { $0.now -= 1 } }
            try await clock.sessionClock.sleep(.milliseconds(50))
            let response = TransportResponse(status: 200, headers: [:], version: .http2)
            try sink.begin(response)
            return response
        }
    }

    @Test(.timeLimit(.minutes(5))) func picturesAloneUseMoreAndMoreStreamsAlthoughSomePlacesAreNotForThem()
        async throws
    {
        let server = MultiplexingServer()
        let session = try InterceptableSession(
            base: "http://origin.test/api/v1", transport: server,
            configuration: SessionConfiguration(clock: server.clock.sessionClock))
        let all = server.clock.spawn {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<600 {
                    group.addTask {
                        var request = Request(.relative("/\(number)"))
                        request.kind = number == 0 ? .json : .media
                        _ = try await session.response(for: request)
                        server.finished.withLock { $0 += 1 }
                    }
                }
                try await group.waitForAll()
            }
        }
        // Each step answers all requests that were sent.
        for _ in 0..<1_000 where server.finished.withLock({ $0 }) < 600 {
            server.clock.advance(by: .milliseconds(50))
        }
        try #require(server.finished.withLock { $0 } == 600)
        try await server.clock.value(of: all)
        #expect(server.most > 64)
    }

    @Test(.timeLimit(.minutes(5))) func eachHostHasItsOwnLimit() async throws {
        let server = SlowServer()
        let session = try session(server, .fixed(2))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<6 {
                group.addTask { try await session.response(for: Request(.relative("/\(number)"))).status }
                group.addTask {
                    var request = Request(.absolute("http://cdn.test/\(number)"))
                    request.mayLeaveOrigin = true
                    return try await session.response(for: request).status
                }
            }
            for _ in 0..<3 {
                await server.clock.waitForSleepers(4)
                server.clock.advance(by: .seconds(1))
            }
            try await group.waitForAll()
        }
        #expect(server.most() == 2)
        #expect(server.most("cdn.test") == 2)
        // Only the session's own origin is reported.
        #expect(session.statistics.concurrency == 2)
    }
}
