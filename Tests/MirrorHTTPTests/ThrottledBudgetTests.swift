import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct ThrottledBudgetTests {
    @Test func aThrottledRepetitionReturnsExactlyItsPoints() async throws {
        let budget = RetryBudget()
        _ = budget.take(afterTimeout: true)
        let test = try TestSession(
            interceptors: [ThrottleInterceptor(budget: budget), RetryInterceptor(budget: budget)])
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "1"]), .text("a"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(budget.remaining == 490)
        test.transport.expect("GET", "/a", .text("a"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(budget.remaining == 491)
    }

    @Test(arguments: ["0", "Tue, 14 Nov 2023 22:13:20 GMT", "-5", "Sun, 06 Nov 1994 08:49:37 GMT"])
    func aRetryAfterInThePastGivesAJitteredWait(value: String) async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor()])
        let refusal = ScriptedAnswer.response(429, headers: ["Retry-After": value])
        test.transport.expect("GET", "/a", refusal, refusal, .text("a"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(test.clock.waits == [.seconds(0.5), .seconds(1)])
    }
}
