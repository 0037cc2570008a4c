import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// The end of sending, for a run that the source allows no further requests.
@Suite struct SendingStopTests {
    private static let reason = HTTPError(.blocked, "The host blocks requests.")

    /// The stored counts of a host.
    private final class Counts: Sendable {
        let requests = Mutex(0)
    }

    private func session(
        _ limits: RequestBudget.Limits, _ counts: Counts = Counts(), clock: VirtualClock
    ) throws -> (InterceptableSession, TestSession) {
        let test = try TestSession(clock: clock, concurrency: .fixed(2), interceptors: try .standard()) { _ in
            .text("a")
        }
        let rules = try HostRules(
            limits: limits, store: { _, count in counts.requests.withLock { $0 = count.requests } })
        return (test.session.obeying(rules), test)
    }

    private func send(_ session: InterceptableSession, _ path: String) async throws -> String? {
        try await httpError { _ = try await session.response(for: Request(.relative(path))) }?.message
    }

    @Test func `later requests fail with the first reason and are not sent`() async throws {
        let (session, test) = try session(.init(), clock: VirtualClock(.jumping))
        #expect(try await send(session, "/a") == nil)
        session.stopSending(Self.reason)
        session.stopSending(HTTPError(.dailyBudgetUsedUp, "Another."))
        #expect(try await send(session, "/b") == Self.reason.message)
        #expect(session.stopReason?.code == .blocked && test.session.stopReason == nil)
        #expect(session.statistics.sent == 1)
    }

    /// Of five requests, the first is sent at once. One waits for its slot, and the others for a place.
    @Test func `waiting requests fail at once and are not counted`() async throws {
        let clock = VirtualClock(.byHand), counts = Counts()
        let (session, _) = try session(
            .init(requests: 1, per: .seconds(60), perDay: 100, parallel: 2), counts, clock: clock)
        let tasks = (0..<5).map { number in clock.spawn { try await send(session, "/\(number)") } }
        clock.settle()
        session.stopSending(Self.reason)
        var messages: [String?] = []
        for task in tasks { messages.append(try await clock.value(of: task)) }
        #expect(messages == [nil] + Array(repeating: Self.reason.message, count: 4))
        #expect(session.statistics.sent == 1 && clock.elapsed == .zero)
        try session.settleBudgets()
        #expect(counts.requests.withLock { $0 } == 1)
    }

    @Test func `a cancelled wait ends with a cancellation`() async throws {
        let clock = VirtualClock(.byHand)
        let (session, _) = try session(.init(requests: 1, per: .seconds(60)), clock: clock)
        let tasks = (0..<2).map { number in clock.spawn { try await send(session, "/\(number)") } }
        clock.settle()
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await clock.value(of: tasks[1]) }
        #expect(try await clock.value(of: tasks[0]) == nil)
    }
}
