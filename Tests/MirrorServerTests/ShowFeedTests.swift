import Catalogue
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("The feed of a running show")
struct ShowFeedTests {
    let test: TestServer
    let router = Router(partner: TestServer.partner)
    private var store: CatalogueStore { test.store }

    /// The current date is 15 January 2027.
    init() throws {
        test = try TestServer()
        try store.put(show: "s", start: "2027-01-01", end: "2027-01-31")
        try store.put(show: "t", start: "2027-01-01", end: "2027-01-31")
        for id in ["in", "out"] { try store.put(.artwork, id) }
        try store.put(["in"], in: Owner(.show, "s"))
        try store.put(["out"], in: Owner(.show, "t"))
    }

    private func latest(_ show: String = "s") async throws -> String {
        let answer = try await test.get(router.latestShowEvent(show: show))
        return try EventsAnswer(try #require(answer.json().objectValue)).eventID
    }

    private func page(_ event: String, of show: String = "s") async throws -> EventsAnswer {
        let answer = try await test.get(router.showEvents(show: show, after: event))
        #expect(answer.status == 200)
        return try EventsAnswer(try #require(answer.json().objectValue))
    }

    private func status(_ show: String) async throws -> [Int] {
        [
            try await test.get(router.latestShowEvent(show: show)).status,
            try await test.get(router.showEvents(show: show, after: "x-1-1")).status,
        ]
    }

    @Test func aShowsFeedContainsItsPartOfThePartnersFeed() async throws {
        let event = try await latest()
        try store.put(.artwork, "out", #"{"id":"out","title":"Other"}"#)
        try store.put(show: "t", start: "2027-01-01", end: "2027-01-31", name: "Other")
        try store.put(.artwork, "in", #"{"id":"in","title":"Other"}"#)
        try store.put(document: "d", of: Owner(.show, "s"))
        let page = try await page(event)
        #expect(page.events.map { "\($0.kind) \($0.id)" } == ["artwork in", "show s"])
        let whole = try EventsAnswer(
            try #require(try await test.get(router.events(after: event)).json().objectValue))
        #expect(whole.eventID == page.eventID && whole.events.count == 4)
        for event in page.events { #expect(whole.events.contains(event)) }
        let other = try await self.page(event, of: "t")
        #expect(other.events.map { "\($0.kind) \($0.id)" } == ["artwork out", "show t"])
    }

    @Test func aShowsFeedSkipsChangesOfOtherObjects() async throws {
        let event = try await latest()
        try store.put(.artwork, "out", #"{"id":"out","title":"Other"}"#)
        let page = try await page(event)
        #expect(page.events.isEmpty && page.eventID != event)
        #expect(try await page.eventID == latest())
        #expect(try await self.page(page.eventID) == EventsAnswer(eventID: page.eventID))
    }

    @Test func aJoiningArtworkChangesTheShowFirstAndIsReportedItselfAfterwards() async throws {
        let event = try await latest()
        try store.put(["in", "out"], in: Owner(.show, "s"))
        let joined = try await page(event)
        let artworks = try await test.get(router.list(.artworks, of: Owner(.show, "s"))).etag
        #expect(joined.events.map(\.kind) == ["show"])
        #expect(joined.events.first?.lists?["artworks"] == artworks)
        try store.put(.artwork, "out", #"{"id":"out","title":"Other"}"#)
        #expect(try await page(joined.eventID).events.map(\.id) == ["out"])
    }

    @Test func aShowsFeedExistsOnlyWhileTheShowIsRunning() async throws {
        let first = store.timestamp()
        try store.put(show: "later", start: "2027-01-16", end: "2027-01-17")
        #expect(try await status("s") == [200, 410], "at \(first)")
        #expect(try await status("later") == [404, 404])
        test.pass(86_400)
        #expect(try await status("later") == [200, 410])
        test.pass(2 * 86_400)
        #expect(try await status("later") == [404, 404])
        let answer = try await test.get(router.latestShowEvent(show: "later"))
        #expect(answer.text == #"{"error":"not_found"}"# && answer.headers[.cacheControl] == "no-store")
        try store.put(show: "later", start: "2027-01-16", end: "2027-02-17")
        #expect(try await status("later") == [200, 410], "it was prolonged")
    }

    @Test func aShowThatIsNotServedHasNoFeed() async throws {
        #expect(try await status("nothing") == [404, 404])
        _ = try store.apply([.tombstone(kind: .show, id: "s", evidence: "test")], run: nil)
        #expect(try await status("s") == [404, 404])
        try store.put(show: "old", start: "1970-01-01", end: nil)
        try store.put(show: "permanent", start: "1970-01-01", end: nil, status: "running")
        #expect(try await status("old") == [404, 404])
        #expect(try await status("permanent") == [200, 410])
    }

    @Test func anExpiredCursorOfAShowsFeedGetsARefresh() async throws {
        let event = try await latest()
        try store.put(.artwork, "in", #"{"id":"in","title":"Other"}"#)
        try store.trimHistory(olderThan: test.pass())
        let page = try await page(event)
        #expect(page.refresh == 255 && page.events.isEmpty)
        #expect(try await page.eventID == latest())
    }
}
