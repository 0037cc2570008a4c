import Catalogue
import Hummingbird
import Testing

@testable import MirrorServer
@testable import MirrorStore

/// Links to objects whose slug leads elsewhere: it is another object's id, or a rival has it.
@Suite("Links by slug or id") struct SlugLinksTests {
    private let test: TestServer
    private var store: CatalogueStore { test.store }

    /// The artworks `a` and `b`, artists `r` and `q`, and shows `s` and `t`: the slug of the first is the id of the second.
    /// `c` lost its slug to `d`. All are later than the first copy.
    init() throws {
        test = try TestServer(catalogue: false)
        try store.endRun(try store.beginRun("sync"), outcome: "complete", summary: "{}", errors: [])
        test.pass(60)
        let run = try store.beginRun("sync")
        func put(_ kind: Kind, _ id: String, slug: String?, _ fields: JSONObject) throws {
            var json = fields
            json["id"] = .string(id)
            json["slug"] = slug.map(JSONValue.string)
            _ = try store.apply([.object(ObjectRecord(kind, try kind.type.init(json), etag: nil))], run: run)
        }
        try put(.artist, "r", slug: "q", ["name": "Rembrandt Work"])
        try put(.artist, "q", slug: nil, ["name": "Quellinus Work"])
        for (id, slug) in [("a", "b"), ("b", nil), ("c", "x"), ("d", "x")] {
            try put(
                .artwork, id, slug: slug,
                [
                    "title": .string("Work \(id)"), "artists": [["id": "r"]],
                    "updated_at": .string("2026-01-0\(id == "d" ? 2 : 1)T10:00:00Z"),
                ])
        }
        let dates: JSONObject = ["start_at": "2027-01-01", "end_at": "2027-02-01"]
        for (id, slug) in [("s", "t"), ("t", nil)] {
            var fields = dates
            fields["name"] = .string("Show \(id)")
            try put(.show, id, slug: slug, fields)
        }
        try store.updateSearchIndex()
        try store.endRun(run, outcome: "complete", summary: "{}", errors: [])
        try store.put(["a", "b"], in: Owner(.show, "s"))
        try store.write { db in
            try db.run("INSERT INTO show_artist (show_id, artist_id, position) VALUES ('s', 'r', 0)")
        }
        try store.updateSearchIndex()
    }

    /// Whether a page has a link to a path, with or without a query.
    private func links(_ path: String, _ target: String) async throws -> Bool {
        let answer = try await test.page(path)
        #expect(answer.status == 200, "\(path)")
        return answer.text.contains("href=\"/test\(target)\"")
            || answer.text.contains("href=\"/test\(target)?")
    }

    @Test(arguments: [
        ("/artworks", "/artwork/a"), ("", "/artwork/a"), ("/search?q=work", "/artwork/a"),
        ("/history", "/artwork/a"), ("/artist/r", "/artist/r/artwork/a"), ("/show/s", "/show/s/artwork/a"),
        // Neighbours.
        ("/artwork/b?in=sort%3Dtitle", "/artwork/a"), ("/show/s/artwork/b", "/show/s/artwork/a"),
        // Artists.
        ("/artwork/a", "/artist/r"), ("/artists", "/artist/r"), ("", "/artist/r"), ("/show/s", "/artist/r"),
        ("/search?q=rembrandt", "/artist/r"), ("/history", "/artist/r"),
        // Shows.
        ("/shows", "/show/s"), ("", "/show/s"), ("/history", "/show/s"),
        ("/artwork/a", "/show/s/artwork/a"),
    ])
    func `An object whose slug is another's id is linked by its id`(_ path: String, _ target: String)
        async throws
    {
        #expect(try await links(path, target))
    }

    @Test(arguments: ["", "/history", "/artworks"])
    func `A loser of a slug is linked by its id, and the winner by the slug`(_ path: String) async throws {
        #expect(try await links(path, "/artwork/c"))
        #expect(try await links(path, "/artwork/x"))
        #expect(try await !links(path, "/artwork/d"))
    }

    @Test(arguments: [
        ("/artwork/a", "a"), ("/artwork/b", "b"), ("/artwork/c", "c"), ("/artwork/d", "d"),
        ("/artwork/x", "d"), ("/artist/r", "r"), ("/artist/q", "q"), ("/show/s", "s"), ("/show/t", "t"),
    ])
    func `At most one redirection leads to the object`(_ path: String, _ id: String) async throws {
        for suffix in ["", "/history"] {
            var answer = try await test.page("\(path)\(suffix).json")
            if answer.status == 302 {
                let location = try #require(answer.headers[.location])
                answer = try await test.ask(.get, location)
            }
            #expect(answer.status == 200, "\(path)\(suffix)")
            #expect(try answer.json().objectValue?["id"] == .string(id), "\(path)\(suffix)")
        }
    }

    @Test func `The home page's latest changes link each object by the key that leads to it`() async throws {
        let text = try await test.page("").text
        let lately = try #require(text.split(separator: "Changed lately", maxSplits: 1).last)
        for target in ["/artwork/a", "/artwork/c", "/artwork/x", "/artist/r", "/show/s"] {
            #expect(lately.contains("href=\"/test\(target)\""), "\(target)")
        }
    }
}
