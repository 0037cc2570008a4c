import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Pages of events in a watched mirror", .fewAtATime)
struct WatchPageTests {
    let scenario: WatchScenario

    init() throws {
        scenario = try WatchScenario()
        scenario.begin()
        _ = scenario.partner.takeRequests()
        _ = scenario.takeEvents()
    }

    @Test func aWatchsFirstSyncStoresTheFeedsCursor() throws {
        #expect(try scenario.cursor() == "L-0")
        #expect(try scenario.mirror.ids(.artwork) == ["a", "b"])
        #expect(scenario.watch.status.way == .events)
    }

    @Test func anIdleFeedCostsOneRequestPerIntervalAndNoRow() throws {
        for _ in 0..<20 { scenario.tick() }
        #expect(scenario.partner.takeRequests().count == 20)
        #expect(try scenario.runs() == 0)
    }

    @Test func anEventsFullObjectIsStoredWithoutARequest() throws {
        scenario.change { state in
            state.artwork("a", title: "Another title", artist: "x")
            state.tell("artworks", "a")
            state.artwork("c")
            state.tell("artworks", "c", 1)
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Another title")
        #expect(try scenario.mirror.ids(.artwork) == ["a", "b", "c"])
        #expect(try scenario.cursor() == "L-2")
        #expect(scenario.takeOtherRequests().isEmpty)
        let page = try #require(scenario.pages.first)
        #expect(page.events == 2)
        #expect(page.objects["artwork"]?.created == 1 && page.objects["artwork"]?.updated == 1)
        #expect(try scenario.runs() == 1)
    }

    /// The list is an old answer, as from a proxy's cache: the version that the first sync received.
    @Test func aListThatIsOlderThanAPageRemovesNoObjectOfThePage() async throws {
        scenario.change { state in
            state.date = "Sat, 21 Nov 2026 12:00:00 GMT"
            state.artwork("c")
            state.tell("artworks", "c", 1)
        }
        scenario.tick()
        #expect(await scenario.end() == nil)
        scenario.change { state in
            state.date = "Sat, 21 Nov 2026 11:58:00 GMT"
            state.remove(.artwork, "c")
        }
        let summary = try await scenario.mirror.sync { ($0.media, $0.full) = (false, true) }
        #expect(summary.outcome == .partial)
        #expect(try scenario.mirror.ids(.artwork) == ["a", "b", "c"])
    }

    @Test func anObjectThatAPageNamesTwiceIsRequestedOnce() throws {
        scenario.change { state in
            state.artwork("b", title: "First")
            state.tell("artworks", "b", 2, .nothing)
            state.artwork("b", title: "Second")
            state.tell("artworks", "b", 2, .nothing)
        }
        scenario.tick()
        #expect(try scenario.title("b") == "Second")
        #expect(scenario.takeOtherRequests() == ["GET /artwork/b"])
    }

    /// The answer is an old one, as from a proxy's cache. With later fields merged into it, it would be an object that never
    /// existed.
    @Test func aPartialEventIsNotMergedIntoAStaleAnswer() throws {
        scenario.change { state in
            let before = state.objects["/artwork/a"] ?? ""
            state.overrides["/artwork/a"] = .conditional(
                before, etag: FakePartner.etag(before), headers: ["Age": "600", "Cache-Control": "no-cache"])
            state.artwork("a", title: "New", artist: "x")
            state.tell("artworks", "a", 2, .nothing)
        }
        scenario.tick()
        #expect(scenario.problems.map(\.what) == ["older answer"])
        scenario.change { state in
            state.overrides = [:]
            state.put(.artwork, "a", #"{"id":"a","title":"New","date":"1888"}"#)
            state.tell("artworks", "a", 3, .text(#"{"date":"1888"}"#))
        }
        scenario.tick()
        let stored = try #require(scenario.mirror.read { try $0.find(.artwork, "a") })
        #expect(stored.json == #"{"date":"1888","id":"a","title":"New"}"#)
    }

    @Test func deletionsAreAppliedAndUnknownObjectsAndKindsIgnored() throws {
        scenario.change { state in
            state.remove(.artwork, "b")
            state.tell("artworks", "b", 0)
            state.tell("artworks", "never seen", 0)
            state.tell("planets", "mars", 1)
        }
        scenario.tick()
        // The show still refers to the deleted artwork.
        #expect(try scenario.mirror.ids(.artwork) == ["a"])
        #expect(try scenario.mirror.ghosts(.artwork) == ["b"])
        #expect(try scenario.cursor() == "L-3")
    }

    @Test func onlyListsWithOtherETagsThanTheEventsAreRequested() throws {
        scenario.change { state in
            state.lists["/partner/p/show/s/artworks"] = ["b", "a"]
            state.tell("shows", "s")
        }
        scenario.tick()
        #expect(try scenario.mirror.read { try $0.members(of: Owner(.show, "s")) } == ["b", "a"])
        #expect(scenario.takeOtherRequests() == ["GET /partner/p/show/s/artworks?ids=1&size=all"])
        #expect(scenario.pages.first?.objects["show"]?.updated == 1)
    }

    /// The list of artists has not changed since the last sync, but documents that a page added may have been deleted since.
    @Test func theNextSyncChecksDocumentsThatAPageAddedUnderAnObject() async throws {
        let scenario = try WatchScenario(
            .withEvents { state in (state.extensions, state.hasListETags) = (["validators", "events"], false)
            })
        scenario.begin()
        func documents() throws -> [String] {
            try scenario.mirror.read { try $0.storedDocuments(of: Owner(.artist, "x")).map(\.id) }
        }
        scenario.change { state in
            state.lists["/partner/p/artist/x/documents"] = ["d"]
            state.objects["/partner/p/artist/x/document/d"] = #"{"id":"d","title":"Letter"}"#
            state.tell("artists", "x")
        }
        scenario.tick()
        #expect(try documents() == ["d"])
        scenario.change { $0.lists["/partner/p/artist/x/documents"] = [] }
        await scenario.end()
        _ = try await scenario.mirror.sync { $0.maxDelete = .total(1) }
        #expect(try documents() == [])
    }

    @Test func aPartialEventIsMergedIntoTheStoredObject() throws {
        scenario.change { state in
            state.artwork("a", title: "Partly", artist: "x")
            state.tell("artworks", "a", 3, .text(#"{"title":"Partly"}"#))
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Partly")
        #expect(scenario.takeOtherRequests().isEmpty)
        let stored = try scenario.mirror.read { try $0.bases(.artwork, ["a"])[ExactText("a")] }
        #expect(stored?.json?.contains("artists") == true)
        #expect(stored?.etag == FakePartner.etag(scenario.partner.object("/artwork/a")))
    }

    @Test func aPartialEventOfAnUnknownObjectMakesTheObjectBeRequested() throws {
        scenario.change { state in
            state.artwork("new", title: "Whole")
            state.tell("artworks", "new", 3, .text(#"{"title":"Whole"}"#))
        }
        scenario.tick()
        #expect(try scenario.title("new") == "Whole")
        #expect(scenario.takeOtherRequests() == ["GET /artwork/new"])
    }

    /// If the event has another ETag than the stored object, the object is requested: its id may now belong to another object.
    @Test(arguments: [false, true])
    func anEventsObjectThatIsOlderThanTheStoredOneIsIgnored(isReplaced: Bool) throws {
        scenario.change { state in
            state.put(.artwork, "a", #"{"id":"a","title":"New","updated_at":"2026-11-21T10:00:00Z"}"#)
            state.tell("artworks", "a")
        }
        scenario.tick()
        _ = scenario.takeOtherRequests()
        scenario.change { state in
            state.tell(
                "artworks", "a", 2, .text(#"{"id":"a","title":"Old","updated_at":"2026-11-21T09:00:00Z"}"#))
            if isReplaced { state.objects["/artwork/a"] = #"{"id":"a","title":"Other"}"# }
        }
        scenario.tick()
        #expect(try scenario.title("a") == (isReplaced ? "Other" : "New"))
        #expect(scenario.takeOtherRequests() == (isReplaced ? ["GET /artwork/a"] : []))
        #expect(try scenario.cursor() == "L-2")
    }

    @Test func eventsThatAreReportedTwiceChangeNothing() throws {
        scenario.change { state in
            state.artwork("a", title: "Again", artist: "x")
            state.lists["/partner/p/show/s/artworks"] = ["a"]
            state.tell("artworks", "a")
            state.tell("shows", "s")
        }
        scenario.tick()
        scenario.change { state in
            state.tell("artworks", "a")
            state.tell("shows", "s")
        }
        _ = scenario.takeOtherRequests()
        scenario.tick()
        #expect(try scenario.cursor() == "L-4")
        #expect(try scenario.runs() == 1)
        #expect(scenario.takeOtherRequests().isEmpty)
    }

    @Test func furtherPagesAreRequestedWithinTheSameInterval() throws {
        scenario.change { state in
            state.feed.pageSize = 2
            for number in 0..<7 {
                state.artwork("n\(number)")
                state.tell("artworks", "n\(number)", 1)
            }
        }
        scenario.tick()
        #expect(try scenario.mirror.ids(.artwork).count == 9)
        #expect(try scenario.cursor() == "L-7")
        #expect(try scenario.runs() == 4)
    }

    @Test func aChangeOfThePartnerItselfIsStored() throws {
        scenario.change { state in
            state.objects["/partner/p/all"] = #"{"id":"p","name":"Renamed"}"#
            state.tell("partner", "p")
        }
        scenario.tick()
        #expect(try scenario.mirror.read { try $0.storedSingle(.partner)?.json }?.contains("Renamed") == true)
    }

    /// Otherwise a later sync would get a cached answer that is older than the row.
    @Test func aPageRemovesTheCachedAnswersOfItsObjects() throws {
        func isCached(_ path: String) throws -> Bool {
            let file = URL(fileURLWithPath: try scenario.mirror.mirror.cache)
            let cache = CanonicalURLCache(file: file, origin: "http://origin.test/api/v1")
            return cache.entry(for: cache.key(for: "http://origin.test/api/v1\(path)")) != nil
        }
        #expect(try isCached("/artwork/a") && isCached("/artwork/b"))
        scenario.change { state in
            state.artwork("a", title: "Another title", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.tick()
        #expect(try !isCached("/artwork/a") && isCached("/artwork/b"))
    }
}
