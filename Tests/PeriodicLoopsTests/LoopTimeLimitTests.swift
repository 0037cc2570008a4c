import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Loops that exceed their time limits, and may ignore the cancellation.
@Suite struct LoopTimeLimitTests {
    private let fixture = SchedulerFixture()

    @Test(arguments: [false, true])
    func aPollThatNeverReturnsIsAbandonedAfterTenSeconds(ignoresCancellation: Bool) {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.answer({
            if ignoresCancellation { await gate.passIgnoringCancellation() } else { try await gate.pass() }
            return .init(eventID: "1")
        })
        fixture.start()
        #expect(fixture.passing(.milliseconds(9_999)).isEmpty)
        let lines = fixture.passing(.milliseconds(1))
        #expect(lines.first?.hasPrefix("core error Polling of loop core took longer than 10") == true)
        #expect(lines.dropFirst() == ["core is backingOff", "a poll 0", "a apply 0"])
        #expect(fixture.status()?.hasStrayTry == ignoresCancellation)
        #expect(fixture.core.cursor == "0")
    }

    @Test func afterAHangingFeedTheCoreLoopIsPolledBeforeTheNextLoop() {
        let gate = Gate()
        for id in ["a", "b", "c"] {
            fixture.enable(id)
            fixture[id].answer({
                try await gate.pass()
                return .init(eventID: "1")
            })
        }
        fixture.start()
        let polls = fixture.passing(.seconds(31)).filter { $0.contains("poll") }
        #expect(
            polls == ["core poll 0", "b poll 0", "core poll 0", "c poll 0", "core poll 0"])
        gate.open()
    }

    @Test func readingTheCursorCountsTowardsThePollLimit() {
        let loop = SlowCursorLoop()
        let scheduler = EventsPeriodicScheduler(
            core: loop,
            configuration: EventsConfiguration(clock: fixture.time.loopClock, executor: fixture.time.executor)
        ) { _ -> SlowCursorLoop? in nil }
        scheduler.start()
        fixture.time.advance(by: .seconds(10))
        #expect(scheduler.status.loops.first?.health.troubles == 1)
    }

    @Test func aLoopIsNotPolledWhileItsAbandonedTryHasNotReturned() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.answer({
            await gate.passIgnoringCancellation()
            return .init(eventID: "1")
        })
        fixture.start()
        _ = fixture.passing(.seconds(10))
        let lines = fixture.passing(.seconds(3_600))
        #expect(!lines.contains { $0.hasPrefix("core") })
        #expect(fixture.status()?.health.lastError == LoopError.stillRunning.message)
        #expect(fixture.status()?.health.state == .backingOff)
        // The other loop has continued in the meantime.
        #expect(fixture.status("a")?.successes == 121)
        gate.open()
        fixture.time.settle()
        #expect(fixture.core.cursor == "0")
        #expect(fixture.passing(.seconds(1_830)).contains("core is well"))
        #expect(!fixture.core.hasOverlapped)
    }

    @Test func aPageProcessedTooLateIsNotCommitted() {
        let fixture = SchedulerFixture { $0.processLimit = .seconds(60) }
        let gate = Gate()
        fixture.core.answer(.init(eventID: "1"))
        fixture.core.beforeCommit { _ in await gate.passIgnoringCancellation() }
        fixture.start()
        #expect(fixture.passing(.seconds(59)).isEmpty)
        let lines = fixture.passing(.seconds(1))
        #expect(lines.first?.hasPrefix("core error Processing of loop core took longer than 60") == true)
        gate.open()
        fixture.time.settle()
        #expect(fixture.core.cursor == "0")
    }

    @Test func processingHasNoTimeLimitByDefault() {
        let gate = Gate()
        fixture.core.answer(.init(eventID: "1"))
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        #expect(fixture.passing(.seconds(86_400)).isEmpty)
        #expect(fixture.status()?.activity == .processing)
        gate.open()
        fixture.time.settle()
        #expect(fixture.core.cursor == "1")
        #expect(fixture.status()?.health == LoopHealth())
    }

    @Test func eachPageHasItsOwnTimeLimit() {
        fixture.core.answerAlways { [core = fixture.core, time = fixture.time] in
            try await time.sleep(.seconds(9))
            let next = (core.cursor.flatMap { Int($0) } ?? 0) + 1
            return .init(eventID: "\(next)", hasMore: next < 5)
        }
        fixture.start()
        fixture.time.advance(by: .seconds(45))
        #expect(fixture.core.cursor == "5")
        #expect(fixture.status()?.health == LoopHealth())
    }

    /// A loop that hangs in `onError` isn't called for that failure, because each call could leave another hanging task.
    @Test func aLoopThatHangsInItsErrorHandlingIsAbandoned() {
        let gate = Gate()
        let hanging = HangingLoop(gate)
        fixture.enable("a")
        let scheduler = EventsPeriodicScheduler(
            core: hanging,
            configuration: EventsConfiguration(clock: fixture.time.loopClock, executor: fixture.time.executor)
        ) { [a = fixture["a"]] _ in a }
        scheduler.enableLoop("a")
        scheduler.start()
        fixture.time.advance(by: .seconds(10))
        #expect(fixture.log.take() == ["a poll 0", "a apply 0"])
        fixture.time.advance(by: .seconds(86_400))
        #expect(gate.waiting == 1)
        #expect(scheduler.status.loops.first?.hasStrayTry == true)
        gate.open()
        fixture.time.settle()
        #expect(scheduler.status.loops.first?.hasStrayTry == false)
    }
}

/// A loop whose cursor is never returned.
private final class SlowCursorLoop: CoreLoop {
    private let gate = Gate()
    private let link = CoreLoopDelegateLink()
    let loopID = "slow"
    let refreshableKinds = RefreshMask.everything
    var delegate: (any CoreLoopDelegate)? {
        get { link.delegate }
        set { link.delegate = newValue }
    }
    var latestEventID: String? {
        get async throws {
            try await gate.pass()
            return nil
        }
    }
    func poll(after eventID: String) async throws -> ScriptedLoop.Page { .init(eventID: eventID) }
    func process(_ page: ScriptedLoop.Page, ticket: CommitTicket) async throws {}
    func refresh(_ kinds: RefreshMask, answer: ScriptedLoop.Page?, ticket: CommitTicket) async throws {}
    func onError(_ error: any Error) async -> LoopFailure {
        LoopFailure(error) ?? .unprocessable("\(error)")
    }
}

/// A loop whose poll fails and whose `onError` never returns.
private final class HangingLoop: CoreLoop {
    private let gate: Gate
    private let link = CoreLoopDelegateLink()
    let loopID = "hanging"
    let refreshableKinds = RefreshMask.everything
    init(_ gate: Gate) { self.gate = gate }
    var delegate: (any CoreLoopDelegate)? {
        get { link.delegate }
        set { link.delegate = newValue }
    }
    var latestEventID: String? { "0" }
    func poll(after eventID: String) async throws -> ScriptedLoop.Page { throw ScriptedError.network }
    func process(_ page: ScriptedLoop.Page, ticket: CommitTicket) async throws {}
    func refresh(_ kinds: RefreshMask, answer: ScriptedLoop.Page?, ticket: CommitTicket) async throws {}
    func onError(_ error: any Error) async -> LoopFailure {
        await gate.passIgnoringCancellation()
        return .unreachable("network")
    }
}
