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
