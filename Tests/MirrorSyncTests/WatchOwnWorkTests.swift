import MirrorStore
import MirrorSync
import PeriodicLoops
import Synchronization
import Testing

/// Items and loops that an app adds to a watch, written with public declarations only, as an app does.
@Suite("An app's items and loops in a watch", .fewAtATime)
struct WatchOwnWorkTests {
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    private struct Backup: Pollable {
        let journal: Journal
        let interval = Duration.seconds(60)

        func poll() async throws { journal.note(uid) }
    }

    private struct Reading: EventsPage {
        let refresh: RefreshMask = []
        let hasMore = false
    }

    private struct RoomLoop: EventsLoop {
        let loopID = "room"
        let journal: Journal
        let refreshableKinds: RefreshMask = []
        var latestEventID: String? { "now" }

        func poll(after eventID: String) async throws -> Reading { Reading() }

        func process(_ page: Reading, ticket: CommitTicket) async throws {
            try ticket.check()
            journal.note(loopID)
        }

        func refresh(_ kinds: RefreshMask, answer: Reading?, ticket: CommitTicket) async throws {}

        func onError(_ error: any Error) async -> LoopFailure { .unprocessable("\(error)") }
    }

    /// A core loop of the app's own, which disables another loop.
    private final class OtherPartner: CoreLoop {
        let loopID = "other"
        let refreshableKinds: RefreshMask = []
        var latestEventID: String? { "now" }
        private let link = CoreLoopDelegateLink()
        var delegate: (any CoreLoopDelegate)? {
            get { link.delegate }
            set { link.delegate = newValue }
        }

        func poll(after eventID: String) async throws -> Reading { Reading() }
        func process(_ page: Reading, ticket: CommitTicket) async throws { delegate?.disableLoop("room") }
        func refresh(_ kinds: RefreshMask, answer: Reading?, ticket: CommitTicket) async throws {}
        func onError(_ error: any Error) async -> LoopFailure { .unprocessable("\(error)") }
    }

    private let journal = Journal()

    private func pause(_ scenario: WatchScenario, _ isPaused: Bool) throws {
        let store = try CatalogueStore.open(
            at: scenario.mirror.mirror.database, now: { WatchScenario.start })
        defer { try? store.close(folding: false) }
        #expect(try isPaused ? store.pauseWatch() : store.resumeWatch())
    }

    @Test func anAppsItemRunsAtItsIntervalAndNotWhileTheWatchIsPaused() throws {
        let scenario = try WatchScenario(items: [Backup(journal: journal)])
        scenario.begin()
        #expect(journal.take() == [])
        scenario.pass(.seconds(61))
        #expect(journal.take() == ["Backup"])
        try pause(scenario, true)
        scenario.tick()
        scenario.pass(.seconds(600))
        #expect(journal.take() == [])
        try pause(scenario, false)
        scenario.tick()
        scenario.pass(.seconds(75))
        #expect(journal.take() == ["Backup"])
    }

    @Test func anAppsLoopIsPolledWithThePartnersAndNotWhileTheWatchIsPaused() throws {
        let scenario = try WatchScenario(loops: [RoomLoop(journal: journal)])
        scenario.begin()
        #expect(journal.take() == ["room"])
        scenario.tick()
        #expect(journal.take() == ["room"])
        let loops = scenario.watch.status.loops
        #expect(loops.map(\.id) == ["partner", "room"])
        #expect(loops.map(\.kind) == [.core, nil])
        try pause(scenario, true)
        scenario.tick()
        _ = journal.take()
        scenario.pass(.seconds(600))
        #expect(journal.take() == [])
        try pause(scenario, false)
        scenario.tick()
        #expect(journal.take() == ["room"])
        #expect(try scenario.loop("room") == nil, "the mirror stores nothing of an app's loop")
    }

    @Test func anAppsLoopContinuesWhenTheServerNoLongerHasEvents() throws {
        let scenario = try WatchScenario(loops: [RoomLoop(journal: journal)])
        scenario.begin()
        #expect(scenario.watch.status.way == .events)
        scenario.change { $0.extensions = ["validators", "since", "status"] }
        scenario.tick()
        #expect(scenario.watch.status.way == .since)
        _ = journal.take()
        scenario.pass(.seconds(120))
        #expect(journal.take().contains("room"))
        let loops = scenario.watch.status.loops
        #expect(loops.map(\.id) == ["poll", "room"])
        #expect(loops.map(\.kind) == [.poll, nil])
        scenario.watch.pollNow()
        scenario.settle()
        #expect(journal.take().contains("room"))
    }

    @Test func anAppsCoreLoopDisablesOtherLoopsThroughItsDelegate() throws {
        let other = OtherPartner()
        let scenario = try WatchScenario(loops: [other, RoomLoop(journal: journal)])
        #expect(other.delegate == nil)
        scenario.begin()
        #expect(other.delegate?.enabledLoops == ["partner", "other"])
        #expect(journal.take() == [], "it was disabled before it was polled")
    }
}
