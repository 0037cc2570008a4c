import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Feeds that request a refresh", .fewAtATime)
struct WatchRefreshTests {
    let scenario: WatchScenario

    init() throws {
        scenario = try WatchScenario(
            .withEvents { state in
                state.albums = FakePartner.Albums()
                state.album("m", name: "Theirs", at: "2026-11-01T00:00:00Z")
                state.lists["/partner/p/album/m/artworks"] = ["a"]
                for number in 0..<12 { state.artwork("w\(number)") }
            })
        scenario.begin()
        _ = scenario.partner.takeRequests()
        _ = scenario.takeEvents()
    }

    /// The kinds whose own lists were requested since the last call.
    private func lists() -> Set<String> {
        Set(
            scenario.partner.takeRequests().compactMap { request in
                guard request.contains("validators=1") || request.contains("ids=1") else { return nil }
                let path = request.split(separator: "?").first?.split(separator: "/") ?? []
                return path.count == 4 ? path.last.map(String.init) : nil
            })
    }

    @Test(arguments: [
        (1, ["artworks"]), (2, ["shows"]), (4, ["albums"]), (8, ["locations"]), (16, ["artists"]),
        (3, ["artworks", "shows"]), (255, ["artworks", "shows", "albums", "locations", "artists"]),
        (512, ["artworks", "shows", "albums", "locations", "artists"]),
    ])
    func aRefreshListsOnlyTheKindsOfItsMask(_ mask: Int, _ expected: [String]) throws {
        scenario.change { state in
            state.feed.refresh = mask
            state.artwork("a", title: "Refreshed", artist: "x")
            state.remove(.artwork, "w3")
            // The feed has no events for these changes.
            state.feed.events = []
            state.feed.log = "L"
        }
        scenario.tick()
        scenario.change { $0.feed.refresh = 0 }
        #expect(lists() == Set(expected))
        let hasArtworks = expected.contains("artworks")
        #expect(try scenario.title("a") == (hasArtworks ? "Refreshed" : "Work a"))
        #expect(try scenario.mirror.ids(.artwork).contains("w3") == !hasArtworks)
        #expect(try scenario.runs("refresh") == 1)
        #expect(scenario.pages.first?.isRefresh == true)
        #expect(try scenario.loop()?.state == LoopRecord.enabled)
    }

    @Test(arguments: [2, 4, 8, 16, 6])
    func aRefreshOfSomeKindsStillAppliesThePagesOtherEvents(_ mask: Int) throws {
        scenario.change { state in
            state.feed.refresh = mask
            state.artwork("a", title: "Reported", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Reported")
        #expect(try scenario.runs("refresh") == 1)
        #expect(try scenario.cursor() == "L-1")
        // The refresh of some kinds didn't move the cursor past events, so the next page follows this one.
        scenario.change { state in
            state.feed.refresh = 0
            state.artwork("a", title: "Reported again", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Reported again")
    }

    /// The fields belong to the version of the page, and the object from the list may be a later version.
    @Test func aPartialEventIsNotMergedIntoAnObjectOfANewerList() {
        let whole = PartnerEvent(
            kind: "artwork", id: "b", action: .update, etag: "\"2\"", object: ["id": "b", "title": "Whole"])
        let fields = PartnerEvent(
            kind: "artwork", id: "a", action: .partial, etag: "\"1\"", object: ["title": "Earlier"])
        let answer = EventsAnswer(eventID: "L-2", refresh: 1, events: [fields, whole])
        var changes = PageChanges(FeedPage(asked: "L-1", answer: answer), .standard)
        changes.leaveOut(.artwork) { _ in
            []
        } listed: { _ in
            []
        }
        #expect(
            changes.changed[.artwork] == [PartnerEvent(kind: "artwork", id: "a", action: .update), whole])
    }

    /// The page was requested before the lists, and the object may have been deleted in between.
    @Test(arguments: [(1, false), (2, true)])
    func anOlderPageDoesNotRestoreAnObjectThatANewerListOmits(_ mask: Int, _ comes: Bool) throws {
        scenario.change { state in
            state.feed.refresh = mask
            state.artwork("gone", title: "Gone")
            state.lists["/partner/p/artworks"]?.removeAll { $0 == "gone" }
            state.tell("artworks", "gone")
        }
        scenario.tick()
        #expect(try scenario.mirror.ids(.artwork).contains("gone") == comes)
        #expect(try scenario.runs("refresh") == 1 && scenario.cursor() == "L-1")
    }

    /// An object that is not listed but referred to is stored as a linked object or a ghost. An older event must not make it a
    /// listed one.
    @Test(arguments: [false, true])
    func anOlderPageDoesNotMakeAReferencedObjectAListedOne(_ isFound: Bool) throws {
        scenario.change { state in
            state.artwork("b", title: "By somebody", artist: "lost")
            if isFound { state.objects["/artist/lost"] = #"{"id":"lost","name":"Found"}"# }
            state.tell("artworks", "b")
        }
        scenario.tick()
        #expect(try scenario.mirror.ids(.artist).contains("lost") == isFound)
        scenario.change { state in
            state.feed.refresh = 16
            state.objects["/artist/lost"] = #"{"id":"lost","name":"In the page"}"#
            state.tell("artists", "lost")
        }
        scenario.tick()
        #expect(try scenario.runs("refresh") == 1 && scenario.cursor() == "L-2")
        let listed = try scenario.mirror.read { try $0.snapshot { try $0.ids(.artist, withLinked: false) } }
        #expect(!listed.contains("lost"))
    }

    /// The object was deleted when the page was requested, and was created again before the list.
    @Test(arguments: [(1, 0), (2, 1)])
    func anOlderPageDoesNotDeleteAnObjectOfANewerList(_ mask: Int, _ deleted: Int) throws {
        scenario.change { state in
            state.feed.refresh = mask
            state.tell("artworks", "a", 0, .nothing)
        }
        scenario.tick()
        #expect(scenario.pages.map { $0.objects["artwork"]?.deleted ?? 0 }.reduce(0, +) == deleted)
        #expect(try scenario.runs("refresh") == 1 && scenario.cursor() == "L-1")
    }

    @Test func anUnknownCursorMakesTheFeedRefreshAllKinds() throws {
        scenario.change { state in
            state.feed.log = "another"
            state.artwork("a", title: "Restored", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Restored")
        #expect(try scenario.cursor() == "another-1")
        #expect(lists().count == 5)
    }

    @Test func aRefreshThatTheDeleteGuardStopsKeepsItsCursor() throws {
        scenario.change { state in
            state.feed.log = "another"
            for number in 0..<12 { state.remove(.artwork, "w\(number)") }
        }
        scenario.tick()
        let loop = try #require(try scenario.loop())
        #expect(loop.state == LoopRecord.guarded && loop.cursor == "L-0")
        #expect(try scenario.mirror.ids(.artwork).count == 14)
        // From then on, the loop waits for a sync that a person starts.
        _ = scenario.partner.takeRequests()
        scenario.pass(.seconds(3_600))
        #expect(!scenario.partner.takeRequests().contains { $0.contains("/events/") })
    }

    @Test func restartingAWatchDoesNotOverrideTheDeleteGuard() async throws {
        let partner = FakePartner.withEvents { state in
            state.extensions = ["validators", "events"]
            for number in 0..<12 { state.artwork("w\(number)") }
        }
        let first = try WatchScenario(partner)
        first.begin()
        first.change { state in
            state.feed.log = "another"
            for number in 0..<12 { state.remove(.artwork, "w\(number)") }
        }
        first.tick()
        await first.end()
        let again = try WatchScenario(partner, mirror: first.mirror)
        again.begin()
        _ = partner.takeRequests()
        again.pass(.seconds(3_600))
        #expect(partner.takeRequests().isEmpty)
        #expect(try again.loop()?.state == LoopRecord.guarded)
        #expect(try again.mirror.ids(.artwork).count == 14)
        await again.end()
    }

    @Test func aSyncWithAHigherMaxDeleteEnablesAGuardedLoop() async throws {
        scenario.change { state in
            state.feed.log = "another"
            for number in 0..<12 { state.remove(.artwork, "w\(number)") }
        }
        scenario.tick()
        let summary = try await scenario.mirror.sync { options in
            options.maxDelete = .percent(100)
            options.full = true
        }
        #expect(summary.outcome == .complete)
        scenario.pass(.seconds(60))
        #expect(try scenario.loop()?.state == LoopRecord.enabled)
        scenario.change { state in
            state.artwork("a", title: "Followed again", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Followed again")
    }

    /// The delete guard also checks the removals by a page's lists, but not the deletions by its events. The page is stored
    /// without the removals, because the next page may explain them; the next sync of all kinds decides.
    @Test(arguments: [0, 1]) func aPagesListThatRemovesTooMuchWaitsForTheNextSync(left: Int)
        async throws
    {
        scenario.change { state in
            for number in 0..<12 {
                state.objects["/partner/p/show/s/document/d\(number)"] = #"{"id":"d\#(number)","title":"D"}"#
            }
            state.lists["/partner/p/show/s/documents"] = (0..<12).map { "d\($0)" }
            state.tell("shows", "s")
        }
        scenario.tick()
        #expect(try scenario.mirror.read { try $0.storedDocuments(of: Owner(.show, "s")).count } == 12)
        scenario.change { state in
            state.lists["/partner/p/show/s/documents"] = (0..<left).map { "d\($0)" }
            state.tell("shows", "s")
        }
        scenario.tick()
        func documents() throws -> Int {
            try scenario.mirror.read { try $0.storedDocuments(of: Owner(.show, "s")).count }
        }
        #expect(try documents() == 12)
        #expect(try scenario.loop()?.state == LoopRecord.enabled && scenario.cursor() == "L-2")
        #expect(scenario.problems.map(\.what) == ["guard"])
        #expect(await scenario.end() == nil)
        #expect(try await scenario.mirror.sync { $0.media = false }.outcome == .guarded)
        #expect(
            try await scenario.mirror.sync { ($0.media, $0.maxDelete) = (false, .total(12)) }.outcome
                == .complete)
        #expect(try documents() == left)
    }

    @Test func aRefreshWithAFailedListIsTriedAgain() throws {
        scenario.change { state in
            state.feed.log = "another"
            state.overrides["/partner/p/shows?ids=1&size=all&validators=1"] = .text("{}", status: 503)
            state.artwork("a", title: "Meanwhile", artist: "x")
        }
        scenario.tick()
        #expect(try scenario.cursor() == "L-0")
        #expect(try scenario.loop()?.state == "backingOff")
        // The other lists are stored.
        #expect(try scenario.title("a") == "Meanwhile")
        scenario.change { $0.overrides = [:] }
        scenario.pass(.seconds(300))
        #expect(try scenario.cursor() == "another-0")
    }

    /// The tree walked a stale list. That the list is complete at its second request doesn't fetch the missed objects.
    @Test func aRefreshWhoseFirstListWasStaleIsTriedAgain() throws {
        scenario.change { state in
            state.feed.log = "another"
            state.artwork("a", title: "Meanwhile", artist: "x")
            state.remove(.artwork, "w3")
            state.once["/partner/p/artworks?ids=1&size=all&validators=1"] = [
                .text(
                    #"[{"id":"w3","etag":"\"other\""}]"#, headers: ["Date": "Sat, 14 Nov 2026 10:00:00 GMT"])
            ]
        }
        scenario.tick()
        #expect(try scenario.cursor() == "L-0")
        scenario.pass(.seconds(300))
        #expect(try scenario.cursor() == "another-0")
        #expect(try scenario.title("a") == "Meanwhile")
    }

    @Test func aRefreshStoresItsCursorAlthoughOneObjectFails() throws {
        scenario.change { state in
            state.feed.log = "another"
            state.artwork("b", title: "Broken")
            state.overrides["/artwork/b"] = .text("{}", status: 500)
        }
        scenario.tick()
        scenario.pass(.seconds(120))
        #expect(try scenario.cursor() == "another-0")
        #expect(try scenario.title("b") == "Work b")
    }

    @Test func aRefreshKeepsLocalEdits() throws {
        scenario.change { state in
            state.overrides["PUT /partner/p/album/m"] = .text("{}", status: 503)
            state.feed.log = "another"
        }
        try scenario.rename("m", to: "Mine")
        scenario.tick()
        #expect(try scenario.cursor() == "another-0")
        #expect(try scenario.mirror.read { try $0.albums(called: "m").first?.fields.name } == "Mine")
    }
}
