import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import PeriodicLoops
import Testing

@testable import MirrorSync

@Suite("Failures while a mirror is watched", .fewAtATime)
struct WatchFailureTests {
    private func startedScenario(_ partner: FakePartner = .withEvents()) throws -> WatchScenario {
        let scenario = try WatchScenario(partner)
        scenario.begin()
        _ = scenario.partner.takeRequests()
        _ = scenario.takeEvents()
        return scenario
    }

    /// The show's feed always answers with unreadable text.
    @Test func aFailingFeedOfAShowDoesNotDelayThePartnersFeed() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.runs("s")
            state.feed.shows = ["s"]
            state.overrides["/partner/p/show/s/events/latest"] = .text("no JSON")
            state.tell("shows", "s")
        }
        scenario.tick()
        for number in 0..<5 {
            scenario.change { state in
                state.artwork("a", title: "Title \(number)", artist: "x")
                state.tell("artworks", "a")
            }
            scenario.tick()
            #expect(try scenario.title("a") == "Title \(number)")
        }
        let loop = try #require(try scenario.loop("show:s"))
        #expect(loop.failures > 0 && loop.cursor == nil && loop.message != nil)
        #expect(try scenario.loop()?.state == LoopRecord.enabled)
    }

    @Test(arguments: [500, 503, 429])
    func aFailingFeedKeepsItsCursorAndIsTriedAgain(_ status: Int) throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.overrides["/partner/p/events/L-0"] = .text("{}", status: status)
            state.artwork("a", title: "After", artist: "x")
            state.tell("artworks", "a")
        }
        for _ in 0..<12 { scenario.tick() }
        let failing = try #require(try scenario.loop())
        #expect(failing.cursor == "L-0" && failing.state == "backingOff" && failing.failures > 2)
        scenario.change { $0.overrides = [:] }
        scenario.pass(.seconds(1_900))
        #expect(try scenario.title("a") == "After")
        #expect(try scenario.loop()?.state == LoopRecord.enabled)
        #expect(try scenario.loop()?.failures == 0)
    }

    @Test func anUnreadablePageIsRetriedAndThenEverythingIsRefreshed() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.overrides["/partner/p/events/L-0"] = .text(#"{"events":[]}"#)
            state.artwork("a", title: "After", artist: "x")
            state.tell("artworks", "a")
        }
        for _ in 0..<20 { scenario.tick() }
        // After the sixth failure the loop refreshes everything, which needs no page.
        #expect(try scenario.title("a") == "After")
        #expect(try scenario.cursor() == "L-1")
        #expect(try scenario.runs("refresh") == 1)
    }

    @Test func anObjectThatAlwaysFailsIsReportedAndDoesNotStopItsPage() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.overrides["/artwork/b"] = .text("{}", status: 500)
            state.tell("artworks", "b", 2, .nothing)
            state.artwork("b", title: "Unreachable")
            state.artwork("a", title: "Fine", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.tick()
        scenario.pass(.seconds(120))
        #expect(try scenario.title("a") == "Fine")
        #expect(try scenario.title("b") == "Work b")
        #expect(try scenario.cursor() == "L-2")
        #expect(scenario.problems.contains { $0.kind == "artwork" && $0.id == "b" })
        let stored = try scenario.mirror.read { try $0.bases(.artwork, ["b"])[ExactText("b")] }
        #expect(stored?.isPlain == false)
    }

    @Test func aPageWithATemporaryFailureIsTriedAgainAsAWhole() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.overrides["/artwork/b"] = .text("{}", status: 503)
            state.artwork("b", title: "Later")
            state.tell("artworks", "b", 2, .nothing)
            state.artwork("a", title: "Together", artist: "x")
            state.tell("artworks", "a")
        }
        for _ in 0..<5 { scenario.tick() }
        #expect(try scenario.title("a") == "Work a")
        #expect(try scenario.cursor() == "L-0")
        scenario.change { $0.overrides = [:] }
        scenario.pass(.seconds(300))
        #expect(try scenario.title("a") == "Together")
        #expect(try scenario.title("b") == "Later")
    }

    @Test func anObjectThatWasDeletedAfterItsEventIsNotAProblem() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.overrides["/artwork/b"] = .text("{}", status: 404)
            state.artwork("b", title: "Gone")
            state.tell("artworks", "b", 2, .nothing)
        }
        scenario.tick()
        #expect(scenario.problems.isEmpty)
        #expect(try scenario.cursor() == "L-1")
    }

    @Test func aPageWaitsWhileAnotherRunHoldsTheLock() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.artwork("a", title: "After", artist: "x")
            state.tell("artworks", "a")
        }
        do {
            let other = try RunLock(scenario.mirror.mirror)
            scenario.tick()
            #expect(try scenario.title("a") == "Work a")
            withExtendedLifetime(other) {}
        }
        scenario.pass(.seconds(60))
        #expect(try scenario.title("a") == "After")
    }

    @Test func aWatchStartsAlthoughTheServerDoesNotWorkYet() throws {
        let partner = FakePartner.withEvents { $0.overrides["/partner/p/all"] = .text("{}", status: 503) }
        let scenario = try WatchScenario(partner)
        scenario.begin()
        scenario.pass(.seconds(3_600))
        #expect(scenario.syncs.count > 3)
        partner.change { $0.overrides = [:] }
        scenario.pass(.seconds(1_900))
        #expect(try scenario.cursor() == "L-0")
    }

    @Test func aWatchOfAnUnknownPartnerEnds() async throws {
        let scenario = try WatchScenario(
            FakePartner.withEvents { $0.overrides["/partner/p/all"] = .text("{}", status: 404) })
        scenario.begin()
        let error = await scenario.ended() as? SyncError
        #expect(error?.code == .unknownPartner)
        #expect(!FileManager.default.fileExists(atPath: try scenario.mirror.mirror.path))
    }

    /// A proxy whose server is down may answer 404 for everything.
    @Test func aWatchedPartnerThatIsTemporarilyUnknownIsTriedAgain() async throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.overrides["/partner/p/events/L-0"] = .text("{}", status: 404)
            state.overrides["/partner/p/all"] = .text("{}", status: 404)
        }
        scenario.pass(.seconds(3_600))
        scenario.change { state in
            state.overrides = [:]
            state.artwork("a", title: "After", artist: "x")
            state.tell("artworks", "a")
            state.touch("artworks", "a", at: "2026-11-21T10:00:00Z")
        }
        scenario.pass(.seconds(4_000))
        #expect(try scenario.title("a") == "After")
        #expect(await scenario.end() == nil)
    }

    @Test func aLoginThatIsTemporarilyRefusedIsTriedAgain() async throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.overrides["/partner/p/events/L-0"] = .text("{}", status: 401)
            state.overrides["/partner/p/all"] = .text("{}", status: 401)
        }
        scenario.tick()
        #expect(await scenario.settle { scenario.isWaiting })
        scenario.pass(.seconds(600))
        #expect(scenario.syncs.count { $0 == .first } > 3)
        scenario.change { state in
            state.overrides = [:]
            state.artwork("a", title: "After", artist: "x")
            state.touch("artworks", "a", at: "2026-11-21T10:00:00Z")
        }
        scenario.watch.pollNow()
        #expect(try await scenario.settle { try scenario.title("a") == "After" })
        #expect(await scenario.end() == nil)
    }

    /// The syncs succeed, so without growing intervals each would be followed by the next at once.
    @Test func aLoginThatOnlyTheFeedRefusesIsTriedAtGrowingIntervals() async throws {
        let scenario = try startedScenario()
        scenario.change { $0.overrides["/partner/p/events/L-0"] = .text("{}", status: 401) }
        var waits: [TimeInterval] = []
        for _ in 0..<4 {
            scenario.tick()
            #expect(await scenario.settle { scenario.isWaiting })
            guard case .retrying(let end) = scenario.watch.status.phase else { continue }
            let wait = end.timeIntervalSince(WatchScenario.start) - scenario.time.elapsed / .seconds(1)
            waits.append(wait)
            scenario.pass(.seconds(wait))
        }
        #expect(waits.count == 4 && zip(waits, waits.dropFirst()).allSatisfy { $0 < $1 }, "\(waits)")
        #expect(scenario.syncs.count { $0 == .first } == 4)
        await scenario.end()
    }

    @Test func aWatchThatIsNotAuthorisedAtItsStartEnds() async throws {
        let scenario = try WatchScenario(
            FakePartner.withEvents { $0.overrides["/partner/p/all"] = .text("{}", status: 401) })
        scenario.begin()
        let error = await scenario.ended() as? SyncError
        #expect(error?.code == .notAuthorised)
    }

    @Test func pollNowRetriesAWaitingFirstSyncAtOnce() async throws {
        let partner = FakePartner.withEvents { $0.overrides["/partner/p/all"] = .text("{}", status: 503) }
        let scenario = try WatchScenario(partner)
        scenario.begin()
        scenario.pass(.seconds(3_600))
        partner.change { $0.overrides = [:] }
        scenario.watch.pollNow()
        #expect(
            try await scenario.settle { try scenario.mirror.read { try $0.loop(LoopRecord.coreID) } != nil })
        await scenario.end()
    }

    /// The feed works again, and another program has synced. The loop is tried at once and doesn't wait for its daily probe.
    @Test func aQuarantinedLoopIsTriedAfterAnotherProgramsSync() async throws {
        let scenario = try startedScenario()
        scenario.change { state in
            for event in ["L-0", "latest"] {
                state.overrides["/partner/p/events/\(event)"] = .text("no JSON")
            }
        }
        for _ in 0..<10 {
            scenario.watch.pollNow()
            scenario.tick()
        }
        #expect(try scenario.loop()?.state == "quarantined")
        scenario.change { $0.overrides = [:] }
        try await scenario.mirror.sync()
        scenario.change { state in
            state.artwork("a", title: "After", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.pass(.seconds(120))
        #expect(try scenario.title("a") == "After")
    }

    /// The object's answer was unreadable when a page named it, and no later event names it.
    @Test func anObjectThatCouldNotBeReadIsRequestedAgainAfterFiveMinutes() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.artwork("a", title: "After", artist: "x")
            state.tell("artworks", "a", 2, .nothing)
            state.overrides["/artwork/a"] = .text("{garbage")
        }
        scenario.tick()
        scenario.change { $0.overrides = [:] }
        scenario.pass(.seconds(200))
        #expect(try scenario.title("a") == "Work a")
        #expect(try scenario.mirror.read { try $0.totals().marked } == 1)
        scenario.pass(.seconds(200))
        #expect(try scenario.title("a") == "After")
        #expect(try scenario.mirror.read { try $0.totals().marked } == 0)
    }

    @Test func aSecondWatchOfTheSameMirrorFails() async throws {
        let scenario = try startedScenario()
        let second = Watch(partner: "p", folder: try scenario.mirror.mirror) { _, _ in
            throw HTTPError(.unreachable, "No request is expected.")
        }
        await #expect { try await second.run() } throws: { ($0 as? StoreError)?.code == .locked }
        await scenario.end()
    }

    @Test func aStoppedWatchSendsAndStoresNothing() async throws {
        let scenario = try startedScenario()
        #expect(await scenario.end() == nil)
        scenario.change { state in
            state.artwork("a", title: "Too late", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.pass(.seconds(3_600))
        #expect(try scenario.title("a") == "Work a")
        #expect(scenario.partner.takeRequests().isEmpty)
        #expect(scenario.watch.status.phase == .stopped)
    }

    /// Page and cursor are stored in one transaction, so either both are stored or neither.
    @Test func aRevokedTicketPreventsPageAndCursorFromBeingStored() async throws {
        let scenario = try startedScenario()
        await scenario.end()
        scenario.change { state in
            state.artwork("a", title: "Never", artist: "x")
            state.tell("artworks", "a")
        }
        let context = try scenario.context()
        let loop = PartnerLoop(context)
        let page = try await loop.poll(after: "L-0")
        let ticket = CommitTicket()
        ticket.revoke()
        await #expect(throws: LoopError.self) { try await loop.process(page, ticket: ticket) }
        #expect(try scenario.title("a") == "Work a")
        #expect(try scenario.cursor() == "L-0")
        #expect(try scenario.runs() == 0)
        try await loop.process(page, ticket: CommitTicket())
        #expect(try scenario.title("a") == "Never")
        #expect(try scenario.cursor() == "L-1")
        try context.store.close()
    }

    @Test func aPageIsNotAppliedOverANewerSync() async throws {
        let scenario = try startedScenario()
        await scenario.end()
        scenario.change { state in
            state.artwork("a", title: "In the event", artist: "x")
            state.tell("artworks", "a")
        }
        let context = try scenario.context()
        let loop = PartnerLoop(context)
        let page = try await loop.poll(after: "L-0")
        scenario.change { state in
            state.artwork("a", title: "As synced", artist: "x")
            state.touch("artworks", "a", at: "2026-11-21T10:00:00Z")
        }
        try await scenario.mirror.sync()
        try await loop.process(page, ticket: CommitTicket())
        #expect(try scenario.title("a") == "As synced")
        #expect(try scenario.cursor() == "L-1")
        try context.store.close()
    }
}
