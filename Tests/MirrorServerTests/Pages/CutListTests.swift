import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("Lists that a page cuts") struct CutListTests {
    private let test: TestServer

    init() throws { test = try TestServer(catalogue: false) }

    @Test func `only a list that was cut has a link to the JSON`() {
        #expect(CutList.link("views", 60, shown: 60, "/x.json")?.text == nil)
        #expect(CutList.link("views", 1_061, shown: 60, "/x.json")?.text == "All 1,061 views, in the JSON")
        #expect(CutList.link("views", nil, shown: 60, "/x.json")?.text == "All views, in the JSON")
    }

    @Test func `views beyond the first 16 are in the JSON`() async throws {
        try test.store.put(.show, "s")
        try test.store.put(images: (1...61).map { "i\($0)" }, ofShow: "s", role: .installation)
        let text = try await test.page("/show/s").text
        #expect(text.contains("<a href=\"/test/show/s.json\" dir=\"auto\">All 61 views, in the JSON</a>"))
        #expect(text.ranges(of: "View of the show").count == 16)
        let json = try await test.page("/show/s.json").json().objectValue
        #expect(json?["views"]?.arrayValue?.count == 61)
    }

    @Test func `the page of a large show stays below 60 kB, and its wall tries works of the next page`()
        async throws
    {
        let works = (1...120).map { "a-work-with-a-slug-of-a-usual-length-\($0)" }
        for (index, id) in works.enumerated() {
            // The first 70 have no size, so that only works of the second page hang on the wall.
            let size: JSONValue = index < 70 ? .null : ["cm": "30 × 40 cm"]
            try test.put(
                artwork: id, ("title", "A title of about thirty letters"), ("date", "c. 1950"),
                ("medium", "Gelatin silver print on paper"), ("dimensions", size))
        }
        var parts = ObjectRecord.Parts()
        parts.artists = (1...50).map { "artist-\($0)" }
        for id in parts.artists { try test.put(artist: id, ("name", .string("Artist \(id)"))) }
        try test.store.put(.show, "s", parts: parts)
        try test.store.put(works, in: Owner(.show, "s"))
        try test.store.put(images: (1...60).map { "i\($0)" }, ofShow: "s", role: .installation)
        let answer = try await test.page("/show/s"), text = answer.text
        #expect(answer.body.count < 60_000, "\(answer.body.count) bytes")
        #expect(text.contains("1–60 of 120") && text.contains("All 50 artists, in the JSON"))
        #expect(text.contains("24 of the 120 works, at their true sizes"))
        #expect(text.ranges(of: "<title>").count == 25, "the page's, and those of the works on the wall")
    }

    @Test func `artists and shows of each other are in the JSON`() async throws {
        try test.put(artist: "r", ("name", "Rembrandt"))
        var parts = ObjectRecord.Parts()
        parts.artists = ["r"]
        try test.store.put(.show, "s", parts: parts)
        func ids(_ path: String, _ list: String) async throws -> [String] {
            let json = try await test.page(path).json().objectValue
            return (json?[list]?.arrayValue ?? []).compactMap { $0.objectValue?["id"]?.stringValue }
        }
        #expect(try await ids("/show/s.json", "artists") == ["r"])
        #expect(try await ids("/artist/r.json", "shows") == ["s"])
    }

    @Test func `edition sets beyond the first 100 are in the JSON`() async throws {
        func sets(_ count: Int) -> JSONValue {
            .array((1...count).map { .object(JSONObject([("editions", .string("No. \($0)"))])) })
        }
        try test.put(artwork: "a", ("edition_sets", sets(101)))
        try test.put(artwork: "b", ("edition_sets", sets(100)))
        let link = "All 101 edition sets, in the JSON"
        let text = try await test.page("/artwork/a").text
        #expect(text.contains("No. 100<") && !text.contains("No. 101<"))
        #expect(text.contains("<a href=\"/test/artwork/a.json\">\(link)</a>"))
        #expect(try await !test.page("/artwork/b").text.contains("edition sets, in the JSON"))
    }

    @Test func `values of the record that are cut say so, and have a link to the JSON`() async throws {
        func tags(_ count: Int) -> JSONValue { .array((1...count).map { .string("tag\($0)") }) }
        let long = JSONValue.string(String(repeating: "x", count: 3_000))
        try test.put(artwork: "a", ("tags", tags(300)))
        try test.put(artwork: "b", ("tags", tags(100)))
        try test.put(artwork: "c", ("credit", long))
        try test.put(artwork: "d", ("title", long))
        let many = try await test.page("/artwork/a").text
        #expect(many.contains("tag100, and 200 more<"))
        #expect(many.contains("<a href=\"/test/artwork/a.json\" dir=\"auto\">All 300, in the JSON</a>"))
        let few = try await test.page("/artwork/b").text
        #expect(few.contains("tag100<") && !few.contains("in the JSON"))
        for id in ["c", "d"] {
            #expect(try await test.page("/artwork/\(id)").text.contains("The whole text, in the JSON</a>"))
        }
    }

    @Test func `a long text of an edition set is cut`() throws {
        let long = JSONValue.string(String(repeating: "x", count: 100_000))
        let set = JSONObject([
            ("dimensions", .object(JSONObject([("cm", long)]))), ("editions", long),
        ])
        let body = JSONObject([("edition_sets", .array([.object(set)]))])
        let table = try #require(EditionTable(body, jsonHref: "/x.json"))
        let page = try #require(PageTemplates.embedded.render("artwork", ["editions": .one(table.shown)]))
        #expect(page.contains("<th scope=\"col\">Dimensions</th>"))
        #expect(page.contains(">" + String(repeating: "x", count: 300) + "…</td>"))
        #expect(!page.contains(String(repeating: "x", count: 301)))
        #expect(page.contains("<a href=\"/x.json\">The whole texts, in the JSON</a>"))
    }

    @Test func `a document that isn't here is no link`() async throws {
        let owner = Owner(.show, "s")
        try test.store.put(.show, "s")
        try test.store.put(document: "d", of: owner, title: "Press release")
        let before = try await test.page("/show/s").text
        #expect(before.contains("<span dir=\"auto\">Press release</span>"))
        #expect(before.contains("not here yet") && !before.contains("/show/s/document/d"))
        let file = try test.files.store([1, 2, 3], type: "application/pdf")
        let record = FileRecord(
            .document("d", of: owner), entry: "entry", file: file, etag: nil, lastModified: nil)
        _ = try test.store.apply([.file(record)], run: nil)
        let text = try await test.page("/show/s").text
        #expect(text.contains("<a href=\"/test/show/s/document/d\" dir=\"auto\">Press release</a>"))
        let json = try await test.page("/show/s.json").json().objectValue
        #expect(
            json?["documents"]?.arrayValue?.first?.objectValue?["href"] == .string("/test/show/s/document/d"))
    }
}
