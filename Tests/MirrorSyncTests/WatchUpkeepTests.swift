import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A watch's work besides the feeds", .limitedConcurrency)
struct WatchUpkeepTests {
    private func startedScenario(
        _ partner: FakePartner = .withEvents(), interval: Duration = .seconds(30),
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws -> WatchScenario {
        let scenario = try WatchScenario(partner, interval: interval, change)
        scenario.begin()
        _ = scenario.partner.takeRequests()
        _ = scenario.takeEvents()
        return scenario
    }

    private func files(_ scenario: WatchScenario, _ artwork: String) throws -> Int {
        try scenario.mirror.read { store in
            try store.imageFiles(of: Owner(.artwork, artwork), role: .picture).values.flatMap(\.values).count
            {
                $0.file != nil
            }
        }
    }

    @Test func aPagesPicturesAreDownloadedAfterThePageIsStored() async throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.files["/artwork/c/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]
            state.artwork("c", image: "i")
            state.addEvent("artworks", "c", 1)
        }
        scenario.tick()
        #expect(try scenario.cursor() == "L-1")
        #expect(try await scenario.settle { try files(scenario, "c") == 1 })
        #expect(scenario.watch.status.waitingFiles == 0)
        #expect(scenario.problems.isEmpty)
    }

    @Test func listsKnowThatTheLastPictureOfAPageIsHere() async throws {
        let scenario = try startedScenario()
        scenario.change { state in
            // The header of a JPEG of 640 × 480 pixels.
            state.files["/artwork/c/image/i/larger.jpg"] = [
                0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 1, 0xE0, 2, 0x80, 1, 1, 0x11, 0, 0xFF, 0xD9,
            ]
            state.artwork("c", image: "i")
            state.addEvent("artworks", "c", 1)
        }
        scenario.tick()
        let query = ArtworkQuery(filters: [.pictures: "here"])
        let isListed = try await scenario.settle {
            try scenario.mirror.read { try $0.artworks(query).items.map(\.id) } == ["c"]
        }
        #expect(isListed)
    }

    @Test func aFailedPictureDoesNotDelayItsPageAndTheDailySyncFetchesIt() async throws {
        let scenario = try startedScenario(interval: .seconds(3_600))
        scenario.change { state in
            state.overrides["/artwork/c/image/i/larger.jpg"] = .text("", status: 500)
            state.artwork("c", image: "i")
            state.addEvent("artworks", "c", 1)
        }
        scenario.tick()
        #expect(try scenario.cursor() == "L-1")
        #expect(try files(scenario, "c") == 0)
        // The daily sync finds it missing.
        scenario.change { state in
            state.overrides = [:]
            state.files["/artwork/c/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]
            state.touch("artworks", "c", at: "2026-11-21T10:00:00Z")
        }
        scenario.advance(by: .seconds(25 * 3_600))
        #expect(try await scenario.settle { try files(scenario, "c") == 1 })
    }

    @Test func aWatchFetchesReferencedObjectsThatAreNotStored() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.objects["/artist/y"] = #"{"id":"y","name":"Unlisted"}"#
            state.lists["/partner/p/artist/y/documents"] = []
            state.artwork("c", artist: "y")
            state.addEvent("artworks", "c", 1)
        }
        scenario.tick()
        #expect(try scenario.mirror.read { try $0.find(.artist, "y")?.summary.name } == "Unlisted")
        #expect(scenario.partner.takeRequests().contains("GET /artist/y"))
    }

    @Test func objectsOfAPageCanBeFoundBySearch() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.artwork("a", title: "Nightjar", artist: "x")
            state.addEvent("artworks", "a")
        }
        scenario.tick()
        var found: [String] = []
        try scenario.mirror.read { store in
            try store.search("nightjar", limit: 5).forEach { found.append($0.id) }
        }
        #expect(found == ["a"])
    }

    @Test func aWatchPushesLocalEditsWithinAMinute() throws {
        let scenario = try startedScenario(
            .withEvents { state in
                state.albums = FakePartner.Albums()
                state.album("m", name: "Theirs", at: "2026-11-01T00:00:00Z")
                state.lists["/partner/p/album/m/artworks"] = ["a"]
            })
        try scenario.rename("m", to: "Mine")
        scenario.advance(by: .seconds(61))
        #expect(scenario.syncs == [.edits])
        #expect(scenario.partner.writes.contains { $0.hasPrefix("PUT /partner/p/album/m") })
        scenario.advance(by: .seconds(3_600))
        #expect(scenario.syncs == [.edits])
    }

    @Test func localEditsThatFailAreTriedAtGrowingIntervals() throws {
        let scenario = try startedScenario(
            .withEvents { state in
                state.albums = FakePartner.Albums()
                state.album("m", name: "Theirs", at: "2026-11-01T00:00:00Z")
                state.overrides["PUT /partner/p/album/m"] = .text("{}", status: 503)
            }, interval: .seconds(600)
        ) { $0.failFast = true }
        try scenario.rename("m", to: "Mine")
        scenario.advance(by: .seconds(6 * 3_600))
        #expect((5...20).contains(scenario.syncs.count))
    }

    @Test func aWatchSyncsAllKindsOnceADay() throws {
        let scenario = try startedScenario(interval: .seconds(3_600))
        scenario.advance(by: .seconds(2 * 86_400 + 3_600))
        #expect(scenario.syncs == [.daily, .daily])
        #expect(try scenario.loop()?.state == LoopRecord.enabled)
        // Of consecutive syncs without changes, the log keeps one.
        #expect(try scenario.runs("sync") == 2)
    }

    @Test func aWatchWithoutEventsPolls() throws {
        let scenario = try WatchScenario(
            .withEvents { $0.extensions = ["validators", "since", "status"] })
        scenario.begin()
        #expect(scenario.watch.status.way == .since)
        let loop = try #require(try scenario.loop(LoopRecord.pollID))
        #expect(loop.kind == "poll" && loop.nextAt != nil)
        scenario.change { state in
            state.artwork("a", title: "Polled", artist: "x")
            state.touch("artworks", "a", at: "2026-11-21T10:00:00Z")
        }
        scenario.advance(by: .seconds(600))
        #expect(try scenario.title("a") == "Polled")
        #expect(scenario.syncs.count { $0 == .poll } >= 4)
        scenario.advance(by: .seconds(600))
        #expect(try scenario.runs("sync") <= 4)
    }

    @Test(arguments: [404, 405, 501])
    func aWatchPollsIfTheAnnouncedFeedDoesNotExist(_ status: Int) throws {
        let scenario = try WatchScenario(
            .withEvents { $0.overrides["/partner/p/events/latest"] = .text("{}", status: status) })
        scenario.begin()
        #expect(scenario.watch.status.way == .since)
        #expect(scenario.watch.status.loops.map(\.id) == [LoopRecord.pollID])
        scenario.change { $0.overrides = [:] }
        // The next sync gets a cursor from the feed.
        scenario.advance(by: .seconds(600))
        #expect(scenario.watch.status.way == .events)
        scenario.change { state in
            state.artwork("a", title: "Reported", artist: "x")
            state.addEvent("artworks", "a")
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Reported")
        #expect(try scenario.loop(LoopRecord.pollID) == nil)
    }

    @Test func aWatchStoresItsCounters() async throws {
        let scenario = try startedScenario()
        // The counters of the first sync are stored at its end.
        let first = try scenario.mirror.read { try $0.tally() }
        #expect((first["objects"] ?? 0) > 0 && (first["requests"] ?? 0) > 5 && first["pages"] == nil)
        scenario.change { state in
            state.artwork("a", title: "Counted", artist: "x")
            state.addEvent("artworks", "a")
        }
        scenario.advance(by: .seconds(120))
        await scenario.end()
        let tally = try scenario.mirror.read { try $0.tally() }
        #expect(tally["pages"] == 1 && tally["objects"] == (first["objects"] ?? 0) + 1)
        #expect((tally["requests"] ?? 0) > (first["requests"] ?? 0))
    }

    @Test func pollNowRequestsTheFeedAtOnce() throws {
        let scenario = try startedScenario()
        scenario.change { state in
            state.artwork("a", title: "At once", artist: "x")
            state.addEvent("artworks", "a")
        }
        scenario.watch.pollNow()
        scenario.settle()
        #expect(try scenario.title("a") == "At once")
    }

    @Test func anIdleWatchAddsAtMostOneRowToTheLog() throws {
        let scenario = try startedScenario(interval: .seconds(600))
        let before = try scenario.mirror.read { try $0.runs(limit: 100).count }
        scenario.advance(by: .seconds(600 * 150))
        // All daily syncs without changes share one row.
        #expect(try scenario.mirror.read { try $0.runs(limit: 100).count } <= before + 1)
        #expect(scenario.partner.takeRequests().count { $0.contains("/events/L-0") } >= 145)
    }
}
