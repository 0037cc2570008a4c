import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import PeriodicLoops
import Synchronization
import Testing

@testable import MirrorSync

@Suite("Pausing a watch", .fewAtATime)
struct WatchPauseTests {
    private func startedScenario(
        _ change: (inout sending FakePartner.State) -> Void = { _ in }
    ) throws -> WatchScenario {
        let scenario = try WatchScenario(.withEvents(change))
        scenario.begin()
        _ = scenario.partner.takeRequests()
        _ = scenario.takeEvents()
        return scenario
    }

    /// Changes the store while the watch runs, as the command line does.
    @discardableResult
    private func store(
        _ scenario: WatchScenario, _ change: (CatalogueStore) throws -> Bool
    ) throws -> Bool {
        let now = WatchScenario.start.addingTimeInterval(scenario.time.elapsed / .seconds(1))
        let store = try CatalogueStore.open(at: scenario.mirror.mirror.database, now: { now })
        defer { try? store.close(folding: false) }
        return try change(store)
    }

    private func pause(_ scenario: WatchScenario) throws {
        #expect(try store(scenario) { try $0.pauseWatch() })
    }

    private func resume(_ scenario: WatchScenario) throws {
        #expect(try store(scenario) { try $0.resumeWatch() })
    }

    /// The watch's reports of pauses, in order.
    private func reports(_ scenario: WatchScenario) -> [String] {
        scenario.takeEvents().compactMap { event in
            switch event {
            case .paused(let since): "paused \(since)"
            case .resumed: "resumed"
            default: nil
            }
        }
    }

    private func retitle(_ scenario: WatchScenario, _ title: String) {
        scenario.change { state in
            state.artwork("a", title: title, artist: "x")
            state.tell("artworks", "a")
        }
    }

    @Test func aPausedWatchSendsNoRequestsAndLaterContinuesFromItsCursor() throws {
        let scenario = try startedScenario { state in
            state.runs("s")
            state.feed.shows = ["s"]
        }
        try pause(scenario)
        scenario.tick()
        #expect(reports(scenario).count == 1)
        #expect(scenario.watch.status.phase == .paused)
        _ = scenario.partner.takeRequests()
        retitle(scenario, "Meanwhile")
        // After more than a day, there is no daily sync either.
        scenario.pass(.seconds(2 * 86_400))
        #expect(scenario.partner.takeRequests() == [])
        #expect(scenario.takeEvents().isEmpty)
        #expect(try scenario.title("a") != "Meanwhile")
        try resume(scenario)
        scenario.tick()
        #expect(reports(scenario) == ["resumed"])
        #expect(try scenario.title("a") == "Meanwhile")
        scenario.pass(.seconds(60))
        #expect(scenario.watch.status.phase == .following)
    }

    @Test func aPauseIsReportedOnceWithItsTime() throws {
        let scenario = try startedScenario()
        try pause(scenario)
        #expect(try store(scenario) { try !$0.pauseWatch() })
        let since = try #require(try scenario.mirror.read { try $0.pausedAt })
        scenario.pass(.seconds(600))
        #expect(reports(scenario) == ["paused \(since)"])
        try resume(scenario)
        #expect(try store(scenario) { try !$0.resumeWatch() })
        scenario.pass(.seconds(600))
        #expect(reports(scenario) == ["resumed"])
    }

    @Test func theEndOfAPauseIsReportedBeforeAnyOtherEvent() throws {
        let scenario = try startedScenario()
        try pause(scenario)
        scenario.tick()
        retitle(scenario, "Meanwhile")
        _ = scenario.takeEvents()
        try resume(scenario)
        scenario.tick()
        let events = scenario.takeEvents()
        let isFirst = if case .resumed? = events.first { true } else { false }
        #expect(isFirst)
        #expect(events.contains { if case .pageApplied = $0 { true } else { false } })
    }

    @Test func localEditsArePushedOnlyAfterAPause() throws {
        let scenario = try startedScenario { state in
            state.albums = FakePartner.Albums()
            state.album("m", name: "Theirs", at: "2026-11-01T00:00:00Z")
            state.lists["/partner/p/album/m/artworks"] = ["a"]
        }
        try pause(scenario)
        scenario.tick()
        try scenario.rename("m", to: "Mine")
        scenario.pass(.seconds(3_600))
        #expect(!scenario.partner.writes.contains { $0.contains("/album") })
        try resume(scenario)
        scenario.pass(.seconds(120))
        #expect(scenario.syncs == [.edits])
        #expect(scenario.partner.writes.contains { $0.hasPrefix("PUT /partner/p/album/m") })
    }

    @Test func aPausedWatchWithoutEventsDoesNotPoll() throws {
        let scenario = try WatchScenario(.withEvents { $0.extensions = ["validators", "since", "status"] })
        scenario.begin()
        try pause(scenario)
        scenario.tick()
        _ = scenario.takeEvents()
        scenario.pass(.seconds(3_600))
        #expect(scenario.syncs.isEmpty)
        try resume(scenario)
        scenario.pass(.seconds(120))
        #expect(scenario.syncs == [.poll])
    }

    @Test func aPauseRemainsAfterARestartAndDelaysTheFirstSync() async throws {
        let partner = FakePartner.withEvents(), mirror = try TestMirror(partner)
        let before = try WatchScenario(partner, mirror: mirror)
        before.begin()
        try pause(before)
        await before.end()
        _ = partner.takeRequests()

        let scenario = try WatchScenario(partner, mirror: mirror)
        scenario.begin()
        scenario.pass(.seconds(3_600))
        #expect(partner.takeRequests() == [])
        #expect(scenario.watch.status.phase == .paused)
        #expect(reports(scenario).count == 1)
        try resume(scenario)
        scenario.tick()
        #expect(reports(scenario) == ["resumed"])
        #expect(scenario.watch.status.phase == .following)
        #expect(!partner.takeRequests().isEmpty)
    }

    @Test func aWatchOfAnImportedMirrorFailsEvenIfPaused() async throws {
        let scenario = try WatchScenario()
        try scenario.mirror.mirror.prepare()
        try store(scenario) { store in
            try store.setCatalogue(true)
            return try store.pauseWatch()
        }
        scenario.begin()
        try #require(scenario.watch.status.phase == .stopped)
        let error = await scenario.ended() as? SyncError
        #expect(error?.code == .otherOrigin && error?.message.contains("was made by import") == true)
        #expect(reports(scenario).isEmpty && scenario.partner.takeRequests().isEmpty)
    }

    @Test func aPausedWatchCanBeStopped() async throws {
        let scenario = try startedScenario()
        try pause(scenario)
        scenario.tick()
        #expect(await scenario.end() == nil)
        #expect(scenario.watch.status.phase == .stopped)
    }

    // MARK: - Loops of shows

    /// A delegate that records which loops are enabled, in place of a scheduler.
    private final class RecordingDelegate: CoreLoopDelegate {
        private let loops = Mutex<[LoopID]>([LoopRecord.coreID])
        var enabledLoops: [LoopID] { loops.withLock { $0 } }

        func enableLoop(_ id: LoopID) -> Bool {
            loops.withLock { loops in
                guard !loops.contains(id) else { return false }
                loops.append(id)
                return true
            }
        }

        func disableLoop(_ id: LoopID) -> Bool {
            loops.withLock { loops in
                guard let index = loops.firstIndex(of: id) else { return false }
                loops.remove(at: index)
                return true
            }
        }

        func triggerCoreLoop() -> Bool { false }
        func triggerLoop(_ id: LoopID) -> Bool { false }
    }

    @Test func thePartnersLoopEnablesAndDisablesShowsOnlyThroughItsDelegate() async throws {
        let scenario = try WatchScenario(
            .withEvents { state in
                state.runs("s")
                state.feed.shows = ["s"]
            })
        scenario.begin()
        await scenario.end()
        let context = try scenario.context()
        defer { try? context.store.close() }
        let loop = PartnerLoop(context), delegate = RecordingDelegate()
        loop.delegate = delegate
        _ = delegate.enableLoop("show:gone")
        loop.updateShowLoops()
        #expect(delegate.enabledLoops == [LoopRecord.coreID, "show:s"])
        loop.updateShowLoops()
        #expect(delegate.enabledLoops == [LoopRecord.coreID, "show:s"])
    }
}
