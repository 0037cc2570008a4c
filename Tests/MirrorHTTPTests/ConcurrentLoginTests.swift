import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

@Suite struct ConcurrentLoginTests {
    /// A request during a login must not be sent without a cookie, as some servers give it another response.
    @Test func requestsSentDuringALoginWaitForTheLogin() async throws {
        let server = LoginServer()
        let isHeld = Mutex(false)
        let clock = VirtualClock(.byHand)
        let test = try TestSession(
            clock: clock, interceptors: [CookieLoginInterceptor(name: "ann", password: "p&w d")]
        ) { request in
            if request.url.hasSuffix("/_session"), isHeld.withLock({ $0 }) {
                try await clock.sessionClock.sleep(.seconds(5))
            }
            return await server.answer(request)
        }
        let session = test.session
        _ = try await session.response(for: Request(.relative("/a")))
        server.endSession()
        isHeld.withLock { $0 = true }
        let first = Task { try await session.response(for: Request(.relative("/a"))).status }
        await clock.waitForSleepers(1)
        let second = Task { try await session.response(for: Request(.relative("/b"))).status }
        for _ in 0..<50 { await Task.yield() }
        clock.advance(by: .seconds(5))
        #expect(try await first.value == 200)
        #expect(try await second.value == 200)
        #expect(test.transport.requests.filter { $0.url.hasSuffix("/b") }.count == 1)
        #expect(
            test.transport.requests.allSatisfy { $0.url.hasSuffix("_session") || $0.headers["Cookie"] != nil }
        )
    }
}
