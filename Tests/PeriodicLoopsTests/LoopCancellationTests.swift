import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Disabling a loop, and all other causes that cancel an operation, in each of its states.
@Suite struct LoopCancellationTests {
    private let fixture = SchedulerFixture()
    private var scheduler: EventsPeriodicScheduler { fixture.scheduler }

    /// The cause that cancels an operation of a special loop.
    enum Ending: CaseIterable {
        case disabling, resetting, releasing
    }

    private func end(_ ending: Ending, _ fixture: inout SchedulerFixture?) {
        switch ending {
        case .disabling: fixture?.scheduler.disableLoop("a")
        case .resetting: fixture?.scheduler.reset()
        case .releasing: fixture = nil
        }
    }

    @Test func aWaitingLoopCanBeDisabled() {
        fixture.enable("a")
        fixture.start()
        #expect(scheduler.disableLoop("a"))
        #expect(!scheduler.disableLoop("a"))
        #expect(fixture.passing(.seconds(30)) == ["core poll 0", "core apply 0"])
    }

    @Test func aQueuedLoopIsNotPolledAfterItIsDisabled() {
        let gate = Gate()
        fixture.enable("a", "b")
        fixture.core.beforeCommit { _ in try await gate.pass() }
        fixture.start()
        scheduler.disableLoop("a")
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take().filter { $0.contains("poll") } == ["core poll 0", "b poll 0"])
    }

    @Test(arguments: Ending.allCases)
    func aLoopCancelledWhilePollingProcessesNothing(_ ending: Ending) {
        var fixture: SchedulerFixture? = SchedulerFixture()
        guard let (time, log, a) = fixture.map({ ($0.time, $0.log, $0["a"]) }) else { return }
        let gate = Gate()
        a.answer({
            defer { log.record("left") }
            try await gate.pass()
            return .init(eventID: "1")
        })
        fixture?.enable("a")
        fixture?.start()
        #expect(fixture?.status("a")?.activity == .polling)
        _ = log.take()
        end(ending, &fixture)
        time.settle()
        // The poll is cancelled at once. Nothing is processed, and no error is reported.
        #expect(log.take() == ["left"])
        #expect(a.cursor == "0")
        #expect(a.health == nil)
    }

    @Test(arguments: Ending.allCases, [false, true])
    func aLoopCancelledWhileProcessingCommitsNothing(_ ending: Ending, ignoresCancellation: Bool) {
        var fixture: SchedulerFixture? = SchedulerFixture()
        guard let (time, log, a) = fixture.map({ ($0.time, $0.log, $0["a"]) }) else { return }
        let gate = Gate()
        a.answer(.init(eventID: "1"))
        a.beforeCommit { _ in
            if ignoresCancellation { await gate.passIgnoringCancellation() } else { try await gate.pass() }
            log.record("left")
        }
        fixture?.enable("a")
        fixture?.start()
        #expect(fixture?.status("a")?.activity == .processing)
        _ = log.take()
        end(ending, &fixture)
        time.settle()
        gate.open()
        time.settle()
        // If it ignores the cancellation, it reaches its commit, where its ticket is no longer valid.
        #expect(log.take() == (ignoresCancellation ? ["left"] : []))
        #expect(a.cursor == "0")
    }

    @Test func theNextLoopWaitsUntilACancelledOneHasReturned() {
        let gate = Gate()
        fixture.enable("a", "b")
        fixture["a"].beforeCommit { _ in await gate.passIgnoringCancellation() }
        fixture.start()
        scheduler.disableLoop("a")
        fixture.time.advance(by: .seconds(9))
        #expect(!fixture.log.take().contains("b poll 0"))
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take() == ["b poll 0", "b apply 0"])
    }

    @Test func cancellingOneLoopDoesNotCancelTheNext() {
        let gate = Gate()
        fixture.enable("a", "b")
        fixture["a"].beforeCommit { _ in try await gate.pass() }
        fixture["b"].answer({ [log = fixture.log] in
            log.record("cancelled: \(Task.isCancelled)")
            return .init(eventID: "1")
        })
        fixture.start()
        _ = fixture.log.take()
        scheduler.disableLoop("a")
        fixture.time.settle()
        #expect(fixture.log.take() == ["b poll 0", "cancelled: false", "b apply 1"])
    }

    @Test func theNextLoopWaitsAtMostTenSecondsForACancelledOne() {
        let gate = Gate()
        fixture.enable("a", "b")
        fixture["a"].beforeCommit { _ in await gate.passIgnoringCancellation() }
        fixture.start()
        scheduler.disableLoop("a")
        _ = fixture.log.take()
        fixture.time.advance(by: .seconds(10))
        // No error is reported to a disabled loop.
        #expect(fixture.log.take() == ["b poll 0", "b apply 0"])
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take().isEmpty)
        #expect(fixture["a"].cursor == "0")
    }

    @Test func aLoopEnabledAgainDoesNotOverlapItsCancelledOperation() {
        let gate = Gate()
        fixture.enable("a")
        fixture["a"].answer({
            await gate.passIgnoringCancellation()
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
        _ = fixture.log.take()
        fixture.time.advance(by: .seconds(30))
        #expect(fixture.log.take().contains("a poll 0"))
        #expect(!fixture["a"].hasOverlapped)
        #expect(fixture["a"].cursor == "0")
    }

    @Test func aLoopThatDisablesItselfBeforeItsCommitDoesNotCommit() {
        fixture.enable("a")
        fixture["a"].answer(.init(eventID: "1", hasMore: true))
        fixture["a"].beforeCommit { [weak scheduler] ticket in
            #expect(ticket.isValid)
            scheduler?.disableLoop("a")
            #expect(!ticket.isValid)
        }
        fixture.start()
        #expect(fixture["a"].cursor == "0")
        #expect(fixture.passing(.seconds(30)) == ["core poll 0", "core apply 0"])
    }

    @Test func aLoopDisabledWhileReportingDoesNotReceiveItsHealth() {
        fixture.enable("a")
        let loop = ScriptedLoop("b", fixture.log) { [weak scheduler] _ in
            scheduler?.disableLoop("b")
            return .unreachable("network")
        }
        loop.answer(throwing: ScriptedError.network)
        fixture.put(loop)
        fixture.enable("b", "c")
        fixture.start()
        #expect(fixture.log.take().suffix(4) == ["b poll 0", "b error network", "c poll 0", "c apply 0"])
    }

    @Test func disablingALoopBetweenItsPagesEndsItsTurn() {
        fixture.enable("a")
        fixture["a"].answer(.init(eventID: "1", hasMore: true), .init(eventID: "2"))
        fixture.core.answer(.init(eventID: "1", hasMore: true))
        fixture.core.beforeCommit({ _ in }, { [weak scheduler] _ in scheduler?.disableLoop("a") })
        fixture.start()
        #expect(fixture["a"].cursor == "1")
    }

    @Test func aRevokedTicketAlwaysThrows() throws {
        let ticket = CommitTicket()
        try ticket.check()
        try ticket.check()
        ticket.revoke()
        ticket.revoke()
        let error = #expect(throws: LoopError.self) { try ticket.check() }
        #expect(error?.code == .cancelled)
    }

    @Test func aReleasedSchedulerReleasesItsLoopsAndTasks() {
        for state in ["not started", "waiting", "polling", "suspended", "reset"] {
            let liveObjects = LiveObjectCounter()
            let time = VirtualClock()
            let gate = Gate()
            var core: ScriptedLoop? = ScriptedLoop("core", EventLog())
            weak let left = core
            do {
                let countedObject = CountedObject(liveObjects)
                let scheduler = EventsPeriodicScheduler(
                    core: core!,
                    configuration: EventsConfiguration(clock: time.loopClock, executor: time.executor)
                ) { [countedObject] id in
                    withExtendedLifetime(countedObject) { ScriptedLoop(id, EventLog()) }
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
            #expect(liveObjects.count == 0, "\(state)")
            #expect(time.sleepers == 0, "\(state)")
        }
    }
}
