import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Loops of an app's own types, several partners in one scheduler, and the core loop's delegate.
@Suite struct CustomLoopTests {
    /// A loop of another type, with pages of another type.
    private struct RoomLoop: EventsLoop {
        struct Page: EventsPage {
            let temperature: Int
            var refresh: RefreshMask { [] }
            var hasMore: Bool { false }
        }

        let loopID: LoopID
        let log: EventLog
        let refreshableKinds: RefreshMask = []
        var latestEventID: String? { "now" }

        func poll(after eventID: String) async throws -> Page { Page(temperature: 21) }

        func process(_ page: Page, ticket: CommitTicket) async throws {
            try ticket.check()
            log.record("\(loopID) \(page.temperature) °C")
        }

        func refresh(_ kinds: RefreshMask, answer: Page?, ticket: CommitTicket) async throws {}

        func onError(_ error: any Error) async -> LoopFailure { .unprocessable("\(error)") }
    }

    private let time = VirtualClock()
    private let log = EventLog()

    private func scheduler(
        _ core: ScriptedLoop, _ make: @escaping @Sendable (LoopID) -> (any EventsLoop)?
    ) -> EventsPeriodicScheduler {
        EventsPeriodicScheduler(
            core: core,
            configuration: EventsConfiguration(
                clock: time.loopClock, executor: time.executor, random: { 1 }),
            specialLoop: make)
    }

    @Test func specialLoopsOfSeveralTypesShareOneQueue() {
        let core = ScriptedLoop("core", log)
        let scheduler = scheduler(core) { [log] id in
            if id.hasPrefix("room:") { return RoomLoop(loopID: id, log: log) }
            return ScriptedLoop(id, log)
        }
        #expect(scheduler.enableLoop("room:1"))
        #expect(scheduler.enableLoop("show:1"))
        scheduler.start()
        time.settle()
        #expect(
            log.take() == [
                "core poll 0", "core apply 0", "room:1 21 °C", "show:1 poll 0", "show:1 apply 0",
            ])
        #expect(scheduler.disableLoop("room:1"))
        time.advance(by: .seconds(30))
        #expect(!log.take().contains("room:1 21 °C"))
    }

    @Test func aSecondCoreLoopEnablesItsSpecialLoopsInTheSameScheduler() {
        let first = ScriptedLoop("moma", log), second = ScriptedLoop("tate", log)
        let scheduler = scheduler(first) { [log] id in
            id == "tate" ? second : ScriptedLoop(id, log)
        }
        #expect(second.delegate == nil)
        #expect(scheduler.enableLoop("tate"))
        #expect(second.delegate === scheduler)
        second.answer(.init(eventID: "1"))
        second.beforeCommit { [weak second] _ in
            second?.delegate?.enableLoop("tate/show:1")
            second?.delegate?.triggerLoop("tate/show:1")
        }
        scheduler.start()
        time.settle()
        #expect(
            log.take() == [
                "moma poll 0", "moma apply 0", "tate poll 0", "tate apply 1", "tate/show:1 poll 0",
                "tate/show:1 apply 0",
            ])
        #expect(scheduler.enabledLoops == ["moma", "tate", "tate/show:1"])
        #expect(scheduler.status.loops.map(\.isCore) == [true, false, false])
    }

    @Test func aFailingPartnerDoesNotDelayOthers() {
        let first = ScriptedLoop("moma", log), second = ScriptedLoop("tate", log)
        let scheduler = scheduler(first) { $0 == "tate" ? second : nil }
        first.answer(times: 1, throwing: ScriptedError.network)
        scheduler.enableLoop("tate")
        scheduler.start()
        time.settle()
        let lines = log.take()
        #expect(lines.contains("tate apply 0"))
        #expect(!lines.contains("moma apply 0"))
        #expect(scheduler.status.loops.map(\.health.state) == [.backingOff, .well])
    }

    @Test func theCoreLoopEnablesAndDisablesLoopsThroughItsDelegate() {
        let fixture = SchedulerFixture()
        #expect(fixture.core.delegate === fixture.scheduler)
        fixture.enable("old")
        fixture.core.beforeCommit { [weak core = fixture.core] _ in
            core?.delegate?.enableLoop("new")
            core?.delegate?.disableLoop("old")
            core?.delegate?.triggerLoop("new")
        }
        fixture.start()
        #expect(fixture.log.take() == ["core poll 0", "core apply 0", "new poll 0", "new apply 0"])
        #expect(fixture.core.delegate?.enabledLoops == ["core", "new"])
    }
}
