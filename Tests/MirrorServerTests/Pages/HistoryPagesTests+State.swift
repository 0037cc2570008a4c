import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

/// How the pages of the history follow from the state of the mirror.
extension HistoryPagesTests {
    @Test func `The changes on a run's page don't repeat its time and its link`() async throws {
        try run([artwork("a", ("title", "One"), ("medium", "Oil")), artwork("b", ("title", "Two"))])
        let second = try run([artwork("a", ("title", "One"), ("medium", "Ink"))], remove: ["b"])
        func changes(_ path: String) async throws -> String {
            let text = try await page(path).text
            let start = try #require(text.firstRange(of: "id=\"changes\"")).upperBound
            let end = try #require(text.firstRange(of: "<footer")).lowerBound
            return String(text[start..<end])
        }
        let ofRun = try await changes("/history/run/\(second)")
        #expect(ofRun.contains("<ins>Ink</ins>") && ofRun.contains("It can be brought back until"))
        #expect(!ofRun.contains("<time") && !ofRun.contains(">run "))
        let all = try await changes("/history")
        #expect(all.contains("<time") && all.contains(">run \(second)</a>"))
    }

    @Test func `A sync of some kinds doesn't hide that another one waits for a decision`() async throws {
        try run([artwork("a", ("title", "One"))])
        try run(outcome: "guarded")
        try run(summary: #"{"only":["artist"]}"#)
        for path in ["", "/history", "/artwork/a"] {
            #expect(try await page(path).text.contains("Waiting for a decision"), "\(path)")
        }
        let waiting = try await page("/history").text
        #expect(!waiting.contains("<strong>Fresh"))
        #expect(try await page("/history", staff).text.contains("<code>mirror sync test --dry-run</code>"))
        try run()
        #expect(try await page("/history").text.contains("<strong>Fresh and complete.</strong>"))
        let decided = try await page("/history", staff).text
        #expect(!decided.contains("--dry-run"))
    }

    @Test func `The plot doesn't say that there was no sync if none was complete`() async throws {
        try run([artwork("a", ("title", "One"))], outcome: "partial")
        let text = try await page("/history").text
        #expect(text.contains("No sync was complete.") && !text.contains("There was no sync"))
    }

    @Test func `Nothing is counted before the first index`() async throws {
        let run = try store.beginRun("sync")
        let record = ObjectRecord(.artwork, try Artwork(text: artwork("a", ("title", "One"))), etag: nil)
        _ = try store.apply([.object(record)], run: run)
        let history = try await page("/history").text
        for early in ["<dt>Objects</dt>", "<dt>Referred to, not there</dt>", "No change is recorded."] {
            #expect(!history.contains(early), "\(early)")
        }
        #expect(history.contains("are not counted and listed yet."))
        let list = try await page("/artworks").text
        #expect(list.contains("<h1>Artworks</h1>"))
        for path in ["/artworks.json", "/artists.json", "/search.json?q=one", "/search.json"] {
            #expect(try await page(path).json().objectValue?["total"] == .null, "\(path)")
        }
        try store.updateSearchIndex()
        try store.endRun(run, outcome: "complete", summary: "{}", errors: [])
        #expect(try await page("/artworks.json").json().objectValue?["total"] == 1)
        #expect(try await page("/artists.json").json().objectValue?["total"] == 0)
    }

    @Test func `Applied events are no complete sync`() async throws {
        try run([artwork("a", ("title", "One"))])
        let before = try await page("/history").text
        let start = try #require(before.firstRange(of: "as of <time")).lowerBound
        let end = try #require(before[start...].firstRange(of: "</time>")).lowerBound
        let footer = String(before[start..<end])
        test.pass(86_400)
        let events = try run([artwork("a", ("title", "Two"))], command: "events")
        let text = try await page("/history").text
        #expect(text.contains(footer) && footer.hasSuffix(" UTC"))
        #expect(text.contains("Times are UTC"))
        #expect(text.contains("<td>Events of the server</td>"))
        let page = try await page("/history/run/\(events)").text
        #expect(page.contains("did not compare everything"))
    }

    @Test func `An object of a snapshot was first seen when that was loaded`() async throws {
        let load = try store.beginRun("sync"), json = artwork("a", ("title", "One"))
        let record = ObjectRecord(.artwork, try Artwork(text: json), etag: nil)
        _ = try store.load(
            [.object(record)], of: "p1", run: load, upTo: LoadPosition(), continues: false)
        try store.commitLoaded()
        try store.endLoading(isComplete: true)
        try store.updateSearchIndex()
        try store.endRun(load, outcome: "complete", summary: "{}", errors: [])
        let link = "href=\"/test/history/run/\(load)\""
        let page = try await page("/artwork/a").text
        #expect(page.contains("<dt>First seen</dt>") && page.contains(link))
        let history = try await self.page("/artwork/a/history").text
        let sentence = "Stored with the whole catalogue, in <a \(link)>run \(load)</a> on 15 January."
        #expect(history.contains(sentence) && !history.contains("No change is recorded."))
        #expect(
            try await self.page("/history").text.contains("Run \(load) loaded the catalogue as one snapshot"))
        let ofRun = try await self.page("/history/run/\(load)").text
        #expect(ofRun.contains("This run loaded the catalogue as one snapshot"))
        let change = try run([artwork("a", ("title", "Two"))])
        let changed = try await self.page("/artwork/a").text
        #expect(
            changed.contains("<dt>Last changed</dt>") && changed.contains("/test/history/run/\(change)\""))
        #expect(changed.contains(link))
    }

    @Test func `A pause is on the page of the history besides a failure`() async throws {
        try run([artwork("a", ("title", "One"))])
        try run(outcome: "failed")
        _ = try store.pauseWatch()
        let text = try await page("/history").text
        #expect(text.ranges(of: "<strong>The last sync failed</strong>").count == 1, "only the headline")
        #expect(text.contains("<strong>Syncs are paused</strong>"))
        let state = try await page("/history.json").json().objectValue?["state"]?.stringValue
        #expect(state?.contains("Syncs are paused since") == true)
    }

    @Test func `A restored artwork's page says that the server no longer lists it`() async throws {
        try run([artwork("a", ("title", "One"))])
        let fact = "It was restored in this copy: the server no longer lists it."
        let before = try await page("/artwork/a").text
        #expect(!before.contains(fact))
        try store.write { try $0.execute(sql: "UPDATE artwork SET kept = 1") }
        #expect(try store.isKept(.artwork, "a"))
        #expect(try !store.isKept(.artwork, "b") && !store.isKept(.artist, "a"))
        #expect(try await page("/artwork/a").text.contains(fact))
    }
}
