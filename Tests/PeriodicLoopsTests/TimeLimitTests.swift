import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Loops that take too long, heed their cancellation or not.
@Suite struct TimeLimitTests {
    private let fixture = SchedulerFixture()

    @Test(arguments: [false, true])
    func aPollThatNeverReturnsIsGivenUpAfterTenSeconds(isStubborn: Bool) {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.answer({
            if isStubborn { await gate.passStubbornly() } else { try await gate.pass() }
            return .init(eventID: "1")
        })
        fixture.start()
        #expect(fixture.passing(.milliseconds(9_999)).isEmpty)
        let lines = fixture.passing(.milliseconds(1))
        #expect(lines.first?.hasPrefix("core error Polling of loop core took longer than 10") == true)
        #expect(lines.dropFirst() == ["core is backingOff", "a poll 0", "a apply 0"])
        #expect(fixture.status()?.hasStrayTry == isStubborn)
        #expect(fixture.core.cursor == "0")
    }

    @Test func afterAFeedThatHangsTheCoreLoopIsAskedBeforeTheNext() {
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

    @Test func readingTheCursorIsPartOfThePoll() {
        let loop = SlowCursorLoop()
        let scheduler = EventsPeriodicScheduler(
            core: loop,
            configuration: EventsConfiguration(clock: fixture.time.loopClock, executor: fixture.time.executor)
        ) { _ -> SlowCursorLoop? in nil }
        scheduler.start()
        fixture.time.advance(by: .seconds(10))
        #expect(scheduler.status.loops.first?.health.troubles == 1)
    }

    @Test func nothingIsBegunOfALoopWhoseLastTryMayStillReturn() {
        let gate = Gate()
        fixture.enable("a")
        fixture.core.answer({
            await gate.passStubbornly()
            return .init(eventID: "1")
        })
        fixture.start()
        _ = fixture.passing(.seconds(10))
        let lines = fixture.passing(.seconds(3_600))
        #expect(!lines.contains { $0.hasPrefix("core") })
        #expect(fixture.status()?.health.lastError == LoopError.stillRunning.message)
        #expect(fixture.status()?.health.state == .backingOff)
        // The other one has long gone on.
        #expect(fixture.status("a")?.successes == 121)
        gate.open()
        fixture.time.settle()
        #expect(fixture.core.cursor == "0")
        #expect(fixture.passing(.seconds(1_830)).contains("core is well"))
        #expect(!fixture.core.hasOverlapped)
    }

    @Test func whatIsStoredTooLateIsNotStored() {
        let fixture = SchedulerFixture { $0.processLimit = .seconds(60) }
        let gate = Gate()
        fixture.core.answer(.init(eventID: "1"))
        fixture.core.applying { _ in await gate.passStubbornly() }
        fixture.start()
        #expect(fixture.passing(.seconds(59)).isEmpty)
        let lines = fixture.passing(.seconds(1))
        #expect(lines.first?.hasPrefix("core error Processing of loop core took longer than 60") == true)
        gate.open()
        fixture.time.settle()
        #expect(fixture.core.cursor == "0")
    }

    @Test func processingTakesAsLongAsItTakes() {
        let gate = Gate()
        fixture.core.answer(.init(eventID: "1"))
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        #expect(fixture.passing(.seconds(86_400)).isEmpty)
        #expect(fixture.status()?.activity == .processing)
        gate.open()
        fixture.time.settle()
        #expect(fixture.core.cursor == "1")
        #expect(fixture.status()?.health == LoopHealth())
    }

    @Test func eachPageHasItsOwnTime() {
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

    /// Who hangs when told of an error isn't told of that: else each telling would leave another task behind.
    @Test func aLoopThatHangsInItsErrorHandlingIsGivenUpToo() {
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
        #expect(fixture.journal.take() == ["a poll 0", "a apply 0"])
        fixture.time.advance(by: .seconds(86_400))
        #expect(gate.waiting == 1)
        #expect(scheduler.status.loops.first?.hasStrayTry == true)
        gate.open()
        fixture.time.settle()
        #expect(scheduler.status.loops.first?.hasStrayTry == false)
    }
}

/// Never knows its cursor.
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

/// Fails at once, and then never says what that means.
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
    func poll(after eventID: String) async throws -> ScriptedLoop.Page { throw Trouble.network }
    func process(_ page: ScriptedLoop.Page, ticket: CommitTicket) async throws {}
    func refresh(_ kinds: RefreshMask, answer: ScriptedLoop.Page?, ticket: CommitTicket) async throws {}
    func onError(_ error: any Error) async -> LoopFailure {
        await gate.passStubbornly()
        return .unreachable("network")
    }
}
