import MirrorTesting
import Testing

@testable import PeriodicLoops

/// Failures of one loop, which change neither its cursor nor other loops.
@Suite struct LoopFailureTests {
    private let fixture = SchedulerFixture()

    /// The step of an operation that fails.
    enum FailureSite: CaseIterable {
        case cursor, poll, page, refresh
    }

    private static let errors: [any Error & Sendable] = [
        ScriptedError.network, ScriptedError.server, ScriptedError.busy(.seconds(40)), ScriptedError.garbage,
        ScriptedError.database,
        CancellationError(), LoopError.cursorStuck,
    ]

    private func fail(_ site: FailureSite, with error: any Error & Sendable) {
        switch site {
        case .cursor: fixture.core.cursor = "unreadable"
        case .poll: fixture.core.answer(throwing: error)
        case .page:
            fixture.core.answer(.init(eventID: "1"))
            fixture.core.beforeCommit { _ in throw error }
        case .refresh:
            fixture.core.answer(.init(eventID: "1", refresh: .everything))
            fixture.core.beforeCommit { _ in throw error }
        }
    }

    @Test(arguments: FailureSite.allCases, errors.indices)
    func anErrorChangesNeitherTheCursorNorOtherLoops(_ site: FailureSite, error: Int) {
        fail(site, with: Self.errors[error])
        let cursor = fixture.core.cursor
        fixture.enable("a")
        fixture["a"].answer(.init(eventID: "5"))
        fixture.start()
        let lines = fixture.log.take()
        #expect(fixture.core.cursor == cursor)
        #expect(lines.contains { $0.hasPrefix("core error") })
        #expect(lines.contains("core is backingOff"))
        #expect(!lines.contains { $0.hasPrefix("core apply") || $0.hasPrefix("core refresh") })
        #expect(lines.suffix(2) == ["a poll 0", "a apply 5"])
        #expect(fixture["a"].cursor == "5")
        #expect(fixture["a"].health == nil)
        #expect(fixture.status()?.failedTries == 1)
        #expect(fixture.status("a")?.failedTries == 0)
    }

    @Test func aSuccessClearsTheHealthAndIsReportedOnce() {
        fixture.core.answer(times: 3, throwing: ScriptedError.garbage)
        fixture.start()
        fixture.time.advance(by: .seconds(60))
        #expect(fixture.status()?.health.failures == 3)
        #expect(fixture.passing(.seconds(30)) == ["core poll 0", "core apply 0", "core is well"])
        #expect(fixture.core.health == LoopHealth())
        #expect(fixture.status()?.health == LoopHealth())
        // The recovery is reported once, not after every success.
        #expect(fixture.passing(.seconds(30)) == ["core poll 0", "core apply 0"])
        #expect(fixture.status()?.lastSuccess == .seconds(120))
        #expect(fixture.status()?.successes == 2)
        #expect(fixture.status()?.failedTries == 3)
    }

    @Test func aLoopThatBacksOffIsPolledAtTheFirstTickAfterItsWait() {
        fixture.enable("a")
        fixture.core.answer(throwing: ScriptedError.busy(.seconds(70)))
        fixture.start()
        #expect(fixture.passing(.seconds(60)) == ["a poll 0", "a apply 0", "a poll 0", "a apply 0"])
        #expect(fixture.passing(.seconds(30)).first == "core poll 0")
    }

    @Test func networkFailuresBackOffToHalfAnHourAndNeverQuarantine() {
        fixture.core.answerAlways { throw ScriptedError.network }
        fixture.start()
        fixture.time.advance(by: .seconds(86_400))
        _ = fixture.log.take()
        let tries = fixture.passing(.seconds(36_000)).filter { $0.contains("poll") }
        #expect(tries.count == 20)
        #expect(fixture.status()?.health.state == .backingOff)
        fixture.core.answerAlways(nil)
        #expect(fixture.passing(.seconds(1_830)).contains("core is well"))
    }

    @Test func badResponsesLeadToAResetThenToQuarantineWithADailyProbe() {
        fixture.core.answerAlways { throw ScriptedError.garbage }
        fixture.core.beforeCommit({ _ in throw ScriptedError.garbage }, { _ in throw ScriptedError.garbage })
        fixture.core.beforeCommit({ _ in throw ScriptedError.garbage }, { _ in throw ScriptedError.garbage })
        fixture.enable("a")
        fixture.start()
        fixture.time.advance(by: .seconds(600))
        let tries = fixture.log.take().filter { $0.hasPrefix("core") }
        #expect(tries.filter { $0 == "core poll 0" }.count == 6)
        #expect(tries.filter { $0 == "core error garbage" }.count == 9)
        #expect(
            tries.filter { $0.hasPrefix("core is") }.suffix(5) == [
                "core is backingOff", "core is resetting", "core is resetting", "core is resetting",
                "core is quarantined",
            ])
        #expect(fixture.core.cursor == "0")
        // The other loop was polled at every tick.
        #expect(fixture["a"].hasOverlapped == false)
        #expect(fixture.status("a")?.successes == 21)
        // One try after a day.
        let day = fixture.passing(.seconds(86_400)).filter { $0.hasPrefix("core") }
        #expect(day == ["core error garbage", "core is quarantined"])
        // The next try succeeds and clears the health.
        let next = fixture.passing(.seconds(86_400)).filter { $0.hasPrefix("core") }
        #expect(next.prefix(2) == ["core refresh 255", "core is well"])
        #expect(fixture.core.cursor == "latest")
    }

    @Test func aSuccessfulResetClearsTheHealth() {
        fixture.core.answer(times: 6, throwing: ScriptedError.garbage)
        fixture.start()
        #expect(fixture.passing(.seconds(300)).contains("core refresh 255"))
        #expect(fixture.status()?.health == LoopHealth())
    }

    @Test func aTriggerProbesAQuarantinedLoop() {
        let health = LoopHealth(state: .quarantined, failures: 9, nextTry: .seconds(80_000))
        let fixture = SchedulerFixture(storedHealth: health)
        fixture.start()
        #expect(fixture.passing(.seconds(3_600)).isEmpty)
        #expect(fixture.scheduler.triggerCoreLoop())
        #expect(fixture.passing(.zero) == ["core refresh 255", "core is well"])
    }

    @Test func aQuarantineContinuesAfterARestart() {
        fixture.core.answerAlways { throw ScriptedError.garbage }
        fixture.core.beforeCommit({ _ in throw ScriptedError.garbage }, { _ in throw ScriptedError.garbage })
        fixture.core.beforeCommit { _ in throw ScriptedError.garbage }
        fixture.start()
        fixture.time.advance(by: .seconds(1_000))
        let stored = fixture.core.health
        #expect(stored?.state == .quarantined)

        let restart = fixture.time.elapsed
        let next = SchedulerFixture(storedHealth: stored ?? LoopHealth()) { configuration in
            let now = configuration.clock.now
            configuration.clock.now = { restart + now() }
        }
        next.start()
        #expect(next.status()?.health == stored)
        let wait = (stored?.nextTry ?? .zero) - restart
        #expect(next.passing(wait - .seconds(30)).isEmpty)
        #expect(next.passing(.seconds(60)).first == "core refresh 255")
    }

    @Test func theStoredHealthOfASpecialLoopIsReadWhenItIsEnabled() {
        fixture.put(
            ScriptedLoop(
                "a", fixture.log, storedHealth: LoopHealth(troubles: 2, nextTry: .seconds(45))))
        fixture.enable("a")
        #expect(fixture.status("a")?.health.state == .backingOff)
        fixture.start()
        fixture.time.advance(by: .seconds(30))
        #expect(!fixture.log.take().contains("a poll 0"))
        fixture.time.advance(by: .seconds(30))
        #expect(fixture.log.take().contains("a poll 0"))
    }

    @Test func aFeedThatHasEndedDisablesItsLoop() {
        fixture.enable("a", "b")
        fixture["a"].answer(throwing: ScriptedError.gone)
        fixture.start()
        #expect(fixture.scheduler.enabledLoops == ["core", "b"])
        #expect(fixture.log.take().suffix(4) == ["a poll 0", "a error gone", "b poll 0", "b apply 0"])
        #expect(!fixture.passing(.seconds(30)).contains("a poll 0"))
        // The loop can be enabled again.
        #expect(fixture.scheduler.enableLoop("a"))
        #expect(fixture.passing(.seconds(30)).contains("a poll 0"))
    }
}
