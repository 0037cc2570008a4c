import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("Long texts on pages") struct LongTextTests {
    @Test func `a text is cut after a number of characters`() {
        let cases = [
            ("abcdef", "abcdef", false), ("abcdefg", "abcdef…", true), ("éüöäßñ", "éüöäßñ", false),
            ("éüöäßñé", "éüöäßñ…", true), ("", "", false),
        ]
        for (text, shown, isCut) in cases {
            let cut = LongText.cut(text, to: 6)
            #expect(cut.text == shown && cut.isCut == isCut, "\(text)")
        }
    }

    @Test func `a character of many bytes is cut, too`() {
        let text = "a" + String(repeating: "\u{301}", count: 50_000)
        let (cut, isCut) = LongText.cut(text, to: 100)
        #expect(isCut && cut.utf8.count <= 400 + "…".utf8.count)
        #expect(!cut.contains("\u{FFFD}"), "no scalar is divided")
        #expect(LongText.cut(text + "b", to: 3).text.utf8.count <= 12 + "…".utf8.count)
    }

    @Test func `HTML in a partner's text is shown as its text, and not changed in the JSON`() async throws {
        let test = try TestServer(catalogue: false)
        try test.put(
            artwork: "a", ("description", "<p>First <b>bold</b>.</p><p>Ink &amp; wash</p>"),
            ("literature", "<p></p>"),
            ("provenance", "a < b, <untitled>"))
        let text = try await test.page("/artwork/a").text
        #expect(text.contains(">First bold.</p>") && text.contains(">Ink &amp; wash</p>"))
        #expect(text.contains(">a &lt; b, &lt;untitled&gt;</p>") && !text.contains("Literature"))
        let editions: JSONValue = [["editions": "3"]]
        try test.put(artwork: "b", ("description", "Text"), ("edition_sets", editions))
        let both = try await test.page("/artwork/b").text
        let table = try #require(both.firstRange(of: ">Editions</h2>")),
            prose = try #require(both.firstRange(of: ">Text</p>"))
        #expect(table.lowerBound < prose.lowerBound, "editions come first")
        #expect(try await test.page("/artwork/a.json").text.contains("<p>First <b>bold</b>"))
    }

    @Test func `a category is a link only if the list reads it as a filter`() async throws {
        let test = try TestServer(catalogue: false)
        let long = String(repeating: "c", count: 100_000)
        try test.put(artwork: "a", ("category", .string(long)))
        try test.put(artwork: "b", ("category", "Print"))
        try test.store.updateSearchIndex()
        let answer = try await test.page("/artwork/a")
        #expect(answer.body.count < 30_000 && !answer.text.contains("artworks?category="))
        #expect(try await test.page("/artwork/b").text.contains("href=\"/test/artworks?category=Print\""))
    }

    @Test func `a long address is not repeated on the page that it leads to`() async throws {
        let test = try TestServer(catalogue: false)
        let mirror = ServedMirror(name: "test", store: test.store, files: test.files)
        let open = CatalogueServer(
            mirrors: [mirror], configuration: .init(publicURL: "https://museum.example"))
        let guarded = CatalogueServer(
            mirrors: [mirror], configuration: .init(users: [ServedUser(name: "a", password: "b")]))
        let long = String(repeating: "a", count: 90_000)
        for server in [test.server, open] {
            let answer = try await test.page("/artwork/\(long)", of: server)
            #expect(answer.status == 404 && answer.body.count < 10_000, "\(answer.body.count) bytes")
        }
        let login = try await test.page("/artwork/\(long)", of: guarded)
        #expect(login.status == 303 && login.headers[.location] == "/login?to=/")
    }

    @Test func `names and titles of 100 kB are cut on every page that shows them`() async throws {
        let test = try TestServer(catalogue: false)
        let long = String(repeating: "Long ", count: 20_000)
        try test.put(artist: "r", ("name", .string(long)))
        try test.put(
            artwork: "a", ("title", .string(long)), ("artist", ["id": "r"]), ("series", .string(long)),
            ("price", .string(long)))
        try test.store.put(show: "s", start: long, end: long, name: long)
        try test.store.put(.location, "l", JSONObject([("id", "l"), ("name", .string(long))]).canonicalText)
        try test.store.put(["a"], in: Owner(.show, "s"))
        try test.store.put(["a"], in: Owner(.location, "l"))
        try test.store.updateSearchIndex()
        for server in [test.server, test.forStaff()] {
            for path in ["", "/artwork/a", "/artist/r", "/show/s", "/location/l", "/artworks"] {
                let answer = try await test.page(path, of: server)
                #expect(answer.status == 200, "\(path)")
                #expect(answer.body.count < 60_000, "\(path) has \(answer.body.count) bytes")
            }
        }
    }
}
