import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// A budget in a session.
@Suite struct BudgetInterceptorTests {
    /// The stored counts of all hosts, as a database would have them.
    private final class Counts: Sendable {
        private let state = Mutex<(counts: [String: RequestBudget.DayCount], stores: Int, fails: Bool)>(
            ([:], 0, false))

        struct DiskFull: Error {}

        var stores: Int { state.withLock { $0.stores } }
        func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }
        func count(_ host: String) -> RequestBudget.DayCount? { state.withLock { $0.counts[host] } }

        func interceptor(_ limits: RequestBudget.Limits) -> BudgetInterceptor {
            BudgetInterceptor(limits: limits, behind: ThrottleInterceptor()) { origin in
                self.count(origin.display)
            } store: { origin, count in
                try self.state.withLock { state in
                    if state.fails { throw DiskFull() }
                    state.counts[origin.display] = count
                    state.stores += 1
                }
            }
        }
    }

    /// The number of the day on which ``VirtualClock`` starts, 14 November 2023.
    private static let today = 19_675

    private func send(_ path: String, _ test: TestSession) async throws -> Int {
        try await test.session.response(for: Request(.relative(path))).status
    }

    @Test func requestsAreEvenlySpacedAndTheirWaitsAreNotCounted() async throws {
        let throttle = ThrottleInterceptor()
        let budget = BudgetInterceptor(
            limits: RequestBudget.Limits(requests: 1, per: .seconds(3_600)), behind: throttle)
        let test = try TestSession(interceptors: [throttle, budget])
        test.session.limitWaits(to: .seconds(1))
        test.transport.always("GET", "/a", .text("a"))
        for _ in 0..<3 { #expect(try await send("/a", test) == 200) }
        #expect(test.clock.waits == [.seconds(3_600), .seconds(3_600)])
        #expect(test.session.statistics.waited == .zero)
    }

    @Test func concurrentRequestsAreSentOneAfterTheOther() async throws {
        let clock = VirtualClock(.byHand), times = Mutex<[Duration]>([])
        let throttle = ThrottleInterceptor()
        let test = try TestSession(
            clock: clock, concurrency: .fixed(64),
            interceptors: [
                throttle,
                BudgetInterceptor(limits: RequestBudget.Limits(requests: 20), behind: throttle),
            ]
        ) { _ in
            times.withLock { $0.append(clock.elapsed) }
            return .text("a")
        }
        let session = test.session
        let tasks = (0..<60).map { number in
            clock.spawn { try await session.response(for: Request(.relative("/\(number)"))).status }
        }
        clock.settle()
        clock.advance(by: .seconds(3))
        for task in tasks { #expect(try await clock.value(of: task) == 200) }
        #expect(times.withLock { $0 } == (0..<60).map { .milliseconds(50) * $0 })
    }

    @Test func aRequestedWaitWinsAndTheRepetitionGetsANewSlot() async throws {
        let throttle = ThrottleInterceptor()
        let test = try TestSession(
            interceptors: [
                throttle,
                BudgetInterceptor(
                    limits: RequestBudget.Limits(requests: 1, per: .seconds(20)), behind: throttle),
            ])
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "7"]), .text("a"))
        #expect(try await send("/a", test) == 200)
        #expect(test.clock.waits == [.seconds(7), .seconds(13)])
        #expect(test.session.statistics.waited == .seconds(7))
    }

    @Test func aUsedUpDayFailsAtOnceAndSaysWhenItContinues() async throws {
        let counts = Counts(), budget = counts.interceptor(RequestBudget.Limits(perDay: 2))
        let test = try TestSession(interceptors: [budget.throttle, budget])
        test.transport.always("GET", "/a", .text("a"))
        for _ in 0..<2 { #expect(try await send("/a", test) == 200) }
        let error = try await httpError { _ = try await send("/a", test) }
        #expect(error?.code == .dailyBudgetUsedUp && error?.status == nil && error?.isWorthRetry == false)
        // The clock shows 22:13:20.
        #expect(error?.retryAfter == .seconds(6_400))
        #expect(
            error?.message
                == "The 2 requests to origin.test that are allowed on one day are used up. Requests continue on 2023-11-15 at 00:00 UTC. Try again then."
        )
        #expect(test.transport.requests.count == 2 && test.clock.waits.isEmpty)
        test.clock.advance(by: .seconds(6_400))
        #expect(try await send("/a", test) == 200)
        #expect(counts.count("origin.test") == .init(day: Self.today + 1, requests: 1))
    }

    @Test func aRestartContinuesWithTheStoredCount() async throws {
        let counts = Counts(), limits = RequestBudget.Limits(perDay: 300)
        func run(_ requests: Int, settles: Bool) async throws -> Int {
            let budget = counts.interceptor(limits)
            let test = try TestSession(interceptors: [budget.throttle, budget])
            test.transport.always("GET", "/a", .text("a"))
            for sent in 0..<requests {
                if try await httpError({ _ = try await send("/a", test) }) != nil { return sent }
            }
            if settles { try budget.settle() }
            return requests
        }
        // Killed after 4 requests: two leases of 3 were stored.
        #expect(try await run(4, settles: false) == 4)
        #expect(counts.count("origin.test") == .init(day: Self.today, requests: 6) && counts.stores == 2)
        // Ended in order.
        #expect(try await run(4, settles: true) == 4)
        #expect(counts.count("origin.test")?.requests == 10)
        #expect(try await run(1_000, settles: true) == 290)
    }

    @Test func aRequestWhoseCountCannotBeStoredIsNotSent() async throws {
        let counts = Counts(), budget = counts.interceptor(RequestBudget.Limits(perDay: 50))
        let test = try TestSession(interceptors: [budget.throttle, budget])
        test.transport.always("GET", "/a", .text("a"))
        counts.fail(true)
        await #expect(throws: Counts.DiskFull.self) { _ = try await send("/a", test) }
        #expect(test.transport.requests.isEmpty)
        counts.fail(false)
        #expect(try await send("/a", test) == 200)
        #expect(counts.count("origin.test")?.requests == 1)
    }

    @Test func repetitionsCountAndEachHostHasItsOwnBudget() async throws {
        let counts = Counts(), budget = counts.interceptor(RequestBudget.Limits(perDay: 3))
        let test = try TestSession(
            addresses: ["cdn.test": ["93.184.216.34"]],
            interceptors: [budget.throttle, budget, RetryInterceptor()])
        test.transport.expect("GET", "/a", .response(500), .response(502), .text("a"))
        test.transport.always("GET", "http://cdn.test/b", .text("b"))
        #expect(try await send("/a", test) == 200)
        #expect(try await httpError { _ = try await send("/a", test) }?.code == .dailyBudgetUsedUp)
        let other = Request(.absolute("http://cdn.test/b"))
        #expect(try await test.session.response(for: other).status == 200)
        #expect(counts.count("cdn.test")?.requests == 1)
    }
}
