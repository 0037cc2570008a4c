import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Disabling, and everything else that ends an operation: in each state of it.
@Suite struct CancellationTests {
    private let fixture = SchedulerFixture()
    private var scheduler: EventsPeriodicScheduler { fixture.scheduler }

    /// What ends the work of a special loop.
    enum Ending: CaseIterable {
        case disabling, resetting, losing
    }

    private func end(_ ending: Ending, _ fixture: inout SchedulerFixture?) {
        switch ending {
        case .disabling: fixture?.scheduler.disableLoop("a")
        case .resetting: fixture?.scheduler.reset()
        case .losing: fixture = nil
        }
    }

    @Test func disabledWhileWaiting() {
        fixture.enable("a")
        fixture.start()
        #expect(scheduler.disableLoop("a"))
        #expect(!scheduler.disableLoop("a"))
        #expect(fixture.passing(.seconds(30)) == ["core poll 0", "core apply 0"])
    }

    @Test func disabledWhileQueued() {
        let gate = Gate()
        fixture.enable("a", "b")
        fixture.core.applying { _ in try await gate.pass() }
        fixture.start()
        scheduler.disableLoop("a")
        gate.open()
        fixture.time.settle()
        #expect(fixture.journal.take().filter { $0.contains("poll") } == ["core poll 0", "b poll 0"])
    }

    @Test(arguments: Ending.allCases)
    func endedWhilePolling(_ ending: Ending) {
        var fixture: SchedulerFixture? = SchedulerFixture()
        guard let (time, journal, a) = fixture.map({ ($0.time, $0.journal, $0["a"]) }) else { return }
        let gate = Gate()
        a.answer({
            defer { journal.note("left") }
            try await gate.pass()
            return .init(eventID: "1")
        })
        fixture?.enable("a")
        fixture?.start()
        #expect(fixture?.status("a")?.activity == .polling)
        _ = journal.take()
        end(ending, &fixture)
        time.settle()
        // Cancelled at once; nothing is processed, and it is no error.
        #expect(journal.take() == ["left"])
        #expect(a.cursor == "0")
        #expect(a.health == nil)
    }

    @Test(arguments: Ending.allCases, [false, true])
    func endedWhileProcessing(_ ending: Ending, isStubborn: Bool) {
        var fixture: SchedulerFixture? = SchedulerFixture()
        guard let (time, journal, a) = fixture.map({ ($0.time, $0.journal, $0["a"]) }) else { return }
        let gate = Gate()
        a.answer(.init(eventID: "1"))
        a.applying { _ in
            if isStubborn { await gate.passStubbornly() } else { try await gate.pass() }
            journal.note("left")
        }
        fixture?.enable("a")
        fixture?.start()
        #expect(fixture?.status("a")?.activity == .processing)
        _ = journal.take()
        end(ending, &fixture)
        time.settle()
        gate.open()
        time.settle()
        // One that doesn't heed the cancellation comes to its commit, and finds its ticket void.
        #expect(journal.take() == (isStubborn ? ["left"] : []))
        #expect(a.cursor == "0")
    }

    @Test func theNextLoopWaitsUntilTheCancelledOneHasReturned() {
        let gate = Gate()
        fixture.enable("a", "b")
        fixture["a"].applying { _ in await gate.passStubbornly() }
        fixture.start()
        scheduler.disableLoop("a")
        fixture.time.advance(by: .seconds(9))
        #expect(!fixture.journal.take().contains("b poll 0"))
        gate.open()
        fixture.time.settle()
        #expect(fixture.journal.take() == ["b poll 0", "b apply 0"])
    }

    @Test func theNextLoopIsNotCancelledWithTheOneBefore() {
        let gate = Gate()
        fixture.enable("a", "b")
        fixture["a"].applying { _ in try await gate.pass() }
        fixture["b"].answer({ [journal = fixture.journal] in
            journal.note("cancelled: \(Task.isCancelled)")
            return .init(eventID: "1")
        })
        fixture.start()
        _ = fixture.journal.take()
        scheduler.disableLoop("a")
        fixture.time.settle()
        #expect(fixture.journal.take() == ["b poll 0", "cancelled: false", "b apply 1"])
    }

    @Test func theNextLoopWaitsTenSecondsForACancelledOneAtMost() {
        let gate = Gate()
        fixture.enable("a", "b")
        fixture["a"].applying { _ in await gate.passStubbornly() }
        fixture.start()
        scheduler.disableLoop("a")
        _ = fixture.journal.take()
        fixture.time.advance(by: .seconds(10))
        // No error is reported of a loop that nobody asks about any more.
        #expect(fixture.journal.take() == ["b poll 0", "b apply 0"])
        gate.open()
        fixture.time.settle()
        #expect(fixture.journal.take().isEmpty)
        #expect(fixture["a"].cursor == "0")
    }

    @Test func whatIsEnabledAgainDoesNotOverlapItsCancelledSelf() {
        let gate = Gate()
        fixture.enable("a")
        fixture["a"].answer({
            await gate.passStubbornly()
            return .init(eventID: "1")
        })
        fixture.start()
        scheduler.disableLoop("a")
        scheduler.enableLoop("a")
        fixture.time.advance(by: .seconds(30))
        #expect(fixture.status("a")?.hasStrayTry == true)
        #expect(fixture.status("a")?.health.lastError == LoopError.stillRunning.message)
        gate.open()
        fixture.time.settle()
        #expect(fixture.status("a")?.hasStrayTry == false)
        _ = fixture.journal.take()
        fixture.time.advance(by: .seconds(30))
        #expect(fixture.journal.take().contains("a poll 0"))
        #expect(!fixture["a"].hasOverlapped)
        #expect(fixture["a"].cursor == "0")
    }

    @Test func whoDisablesItselfBeforeItsCommitDoesNotCommit() {
        fixture.enable("a")
        fixture["a"].answer(.init(eventID: "1", hasMore: true))
        fixture["a"].applying { [weak scheduler] ticket in
            #expect(ticket.isValid)
            scheduler?.disableLoop("a")
            #expect(!ticket.isValid)
        }
        fixture.start()
        #expect(fixture["a"].cursor == "0")
        #expect(fixture.passing(.seconds(30)) == ["core poll 0", "core apply 0"])
    }

    @Test func aLoopThatIsDisabledWhileItReportsIsNotToldItsHealth() {
        fixture.enable("a")
        let loop = ScriptedLoop("b", fixture.journal) { [weak scheduler] _ in
            scheduler?.disableLoop("b")
            return .unreachable("network")
        }
        loop.answer(throwing: Trouble.network)
        fixture.put(loop)
        fixture.enable("b", "c")
        fixture.start()
        #expect(fixture.journal.take().suffix(4) == ["b poll 0", "b error network", "c poll 0", "c apply 0"])
    }

    @Test func disabledDuringItsMoreTheTurnEnds() {
        fixture.enable("a")
        fixture["a"].answer(.init(eventID: "1", hasMore: true), .init(eventID: "2"))
        fixture.core.answer(.init(eventID: "1", hasMore: true))
        fixture.core.applying({ _ in }, { [weak scheduler] _ in scheduler?.disableLoop("a") })
        fixture.start()
        #expect(fixture["a"].cursor == "1")
    }

    @Test func ticketThrowsFromItsEndOn() throws {
        let ticket = CommitTicket()
        try ticket.check()
        try ticket.check()
        ticket.revoke()
        ticket.revoke()
        let error = #expect(throws: LoopError.self) { try ticket.check() }
        #expect(error?.code == .cancelled)
    }

    @Test func nothingIsLeftOfASchedulerThatGoesAway() {
        for state in ["not started", "waiting", "polling", "suspended", "reset"] {
            let census = Census()
            let time = VirtualClock()
            let gate = Gate()
            var core: ScriptedLoop? = ScriptedLoop("core", Journal())
            weak let left = core
            do {
                let resident = Resident(census)
                let scheduler = EventsPeriodicScheduler(
                    core: core!,
                    configuration: EventsConfiguration(clock: time.loopClock, executor: time.executor)
                ) { [resident] id in
                    withExtendedLifetime(resident) { ScriptedLoop(id, Journal()) }
                }
                if state == "polling" {
                    core?.answer({
                        try await gate.pass()
                        return .init(eventID: "1")
                    })
                }
                scheduler.enableLoop("a")
                if state != "not started" { scheduler.start() }
                time.settle()
                if state == "suspended" { scheduler.suspend() }
                if state == "reset" { scheduler.reset() }
                core = nil
            }
            time.settle()
            #expect(left == nil, "\(state)")
            #expect(census.living == 0, "\(state)")
            #expect(time.sleepers == 0, "\(state)")
        }
    }
}
