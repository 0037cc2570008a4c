import Catalogue
import Hummingbird
import MirrorDemo
import Testing

@testable import MirrorServer
@testable import MirrorStore

/// What pages say of the objects around an artwork or artist: shows, albums, and neighbours in a search.
@Suite("Objects around a page's object") struct RelatedObjectsTests {
    private let test: TestServer
    private var store: CatalogueStore { test.store }

    init() throws { test = try TestServer(catalogue: false) }

    private func put(_ kind: Kind, _ objects: [JSONObject]) throws {
        let records = try objects.map { ObjectRecord(kind, try kind.type.init($0), etag: nil) }
        _ = try store.apply(records.map { .object($0) }, run: nil)
    }

    /// Stores artworks, of which the second isn't published, and an album of both.
    private func putAlbum(name: String = "Highlights") throws {
        try put(
            .artwork, [["id": "a", "title": "Open"], ["id": "b", "title": "Shut", "published": false]])
        try put(.album, [["id": "h", "name": .string(name)]])
        try store.put(["a", "b"], in: Owner(.album, "h"))
        try store.updateSearchIndex()
    }

    private func page(_ path: String, _ server: CatalogueServer? = nil) async throws -> TestServer.Answer {
        try await test.ask(.get, "/test" + path, of: server)
    }

    private var staff: CatalogueServer {
        CatalogueServer(
            mirrors: [.init(name: "test", store: test.store, files: test.files)],
            configuration: .init(isStaff: true))
    }

    @Test func `The JSON of the first page has what the page shows`() async throws {
        try store.put(
            .show, "s", #"{"id":"s","name":"A show","start_at":"2027-01-01","end_at":"2027-12-01"}"#)
        try put(.artist, [["id": "r", "name": "Rembrandt"]])
        try putAlbum()
        let json = try await page(".json").json().objectValue
        let album = json?["albums"]?.arrayValue?.first?.objectValue
        #expect(album?["id"] == "h" && album?["href"] == "/test/album/h" && album?["name"] == "Highlights")
        #expect(json?["artists"]?.arrayValue?.first?.objectValue?["href"] == "/test/artist/r")
        #expect(json?["on_now"]?.arrayValue != nil && json?["changes"]?.arrayValue != nil)
    }

    @Test func `The JSON of an artist leads to the list of all artworks`() async throws {
        try put(.artist, [["id": "r", "name": "Rembrandt"]])
        try put(.artwork, [["id": "a", "title": "One", "artist": ["id": "r"]]])
        try store.updateSearchIndex()
        let json = try await page("/artist/r.json").json().objectValue
        let list = try #require(json?["list"]?.stringValue)
        #expect(list == "/test/artworks?artist=r&sort=date")
        let all = try await test.ask(.get, list.replacing("?", with: ".json?")).json().objectValue
        #expect(all?["total"] == 1)
    }

    @Test func `Visitors see no count of hidden artworks beside an album`() async throws {
        try putAlbum()
        #expect(try await page("/artwork/a").text.contains("Album, 1 artwork<"))
        #expect(try await page("/artwork/a", staff).text.contains("Album, 2 artworks<"))
        #expect(try await page("").text.contains("1 artwork<"))
        #expect(try await !page("").text.contains("2 artworks"))
    }

    @Test func `A running show on the home page counts the artworks that visitors may see`() async throws {
        try putAlbum()
        try store.put(show: "s", start: "2027-01-01", end: "2027-02-01", name: "A show")
        try store.put(["a", "b"], in: Owner(.show, "s"))
        #expect(try await page("").text.contains(">1 artwork</a>"))
        #expect(try await page("", staff).text.contains(">2 artworks</a>"))
    }

    @Test func `A show, album or location without artworks says so`() async throws {
        try put(.album, [["id": "e", "name": "Empty"]])
        try store.put(show: "s", start: nil, end: nil, name: "A show")
        try store.put(.location, "l", #"{"id":"l","name":"A room"}"#)
        for (path, place) in [
            ("/album/e", "in this album"), ("/show/s", "in this show"), ("/location/l", "at this location"),
        ] {
            #expect(try await page(path).text.contains("No artworks \(place) are here yet."), "\(path)")
        }
        try store.endRun(try store.beginRun("sync"), outcome: "complete", summary: "{}", errors: [])
        try store.updateSearchIndex()
        for (path, place) in [
            ("/album/e", "in this album"), ("/show/s", "in this show"), ("/location/l", "at this location"),
        ] {
            #expect(try await page(path).text.contains("No artworks \(place) are here."), "\(path)")
        }
    }

    @Test func `A long name of an album is cut beside its artworks`() async throws {
        try putAlbum(name: String(repeating: "n", count: 100_000))
        let text = try await page("/artwork/a").text
        #expect(text.contains(String(repeating: "n", count: 200) + "…"))
        #expect(!text.contains(String(repeating: "n", count: 201)))
    }

    @Test(arguments: [(50, false), (51, true)])
    func `An artwork in many shows has a link to all shows`(_ count: Int, _ isLinked: Bool) async throws {
        try put(.artwork, [["id": "a", "title": "Seen"]])
        try putShows(count)
        try store.write { db in
            try db.run("INSERT INTO show_artwork (show_id, artwork_id, position) SELECT id, 'a', 0 FROM show")
        }
        let text = try await page("/artwork/a").text
        #expect(text.contains("<a href=\"/test/shows\" dir=\"auto\">All shows</a>") == isLinked)
        let seenIn = try await page("/artwork/a.json").json().objectValue?["seen_in"]?.arrayValue
        #expect(seenIn?.count == count)
        #expect((seenIn?.last?.objectValue?["id"] == .null) == isLinked)
    }

    @Test(arguments: [(60, false), (61, true)])
    func `An artist with many shows has a link to all shows`(_ count: Int, _ isLinked: Bool) async throws {
        try put(.artist, [["id": "r", "name": "Rembrandt"]])
        try putShows(count)
        try store.write { db in
            try db.run("INSERT INTO show_artist (show_id, artist_id, position) SELECT id, 'r', 0 FROM show")
        }
        let text = try await page("/artist/r").text
        #expect(text.contains("<a href=\"/test/shows\" dir=\"auto\">All shows</a>") == isLinked)
    }

    private func putShows(_ count: Int) throws {
        try put(.show, (1...count).map { ["id": .string("s\($0)"), "name": .string("Show \($0)")] })
    }

    @Test func `The place in a search counts all artworks found, not only those listed`() async throws {
        try put(
            .artwork, (1...203).map { ["id": .string("w\($0)"), "title": .string("Wave \($0)")] })
        try store.updateSearchIndex()
        let found = try store.search(SearchWords("wave"), ArtworkQuery())
        #expect(found.artworks.count == 200 && found.total == 203)
        let text = try await page("/artwork/\(found.artworks[3].id)?in=q%3Dwave").text
        #expect(text.contains("4 of 203 in "))
        #expect(
            text.contains(found.artworks[2].title ?? "?") && text.contains(found.artworks[4].title ?? "?"))
    }

    @Test func `Private albums take no place among those that an artwork is in`() async throws {
        try put(.artwork, [["id": "a", "title": "Seen"]])
        try put(.album, (0...60).map { ["id": .string("m\($0)"), "name": "Shut", "private": true] })
        try put(.album, [["id": "z", "name": "Open"]])
        try store.write { db in
            try db.run(
                "INSERT INTO album_artwork (album_id, artwork_id, position) SELECT id, 'a', 0 FROM album")
        }
        let seenIn = try await page("/artwork/a.json").json().objectValue?["seen_in"]?.arrayValue
        #expect(seenIn?.map { $0.objectValue?["id"]?.stringValue } == ["z"])
        #expect(try await page("/artwork/a", staff).text.contains("Album, 1 artwork, private<"))
    }

    @Test func `The album Highlights makes the wall of the first page whatever its place`() async throws {
        try put(.album, (1...20).map { ["id": .string("b\($0)"), "name": .string("An album \($0)")] })
        try put(
            .artwork,
            (1...4).map {
                ["id": .string("w\($0)"), "title": .string("Work \($0)"), "dimensions": ["cm": "20 × 30 cm"]]
            })
        try put(.album, [["id": "h", "name": "HIGHLIGHTS"]])
        try store.put(["w1", "w2", "w3", "w4"], in: Owner(.album, "h"))
        try store.updateSearchIndex()
        #expect(try await page("").text.contains("HIGHLIGHTS, to scale"))
    }

    @Test func `A work without a picture among others never shows the picture of the page`() async throws {
        let image: JSONObject = ["id": "i", "original_width": 60, "original_height": 40]
        try put(.artist, [["id": "r", "name": "Anna"]])
        try put(
            .artwork,
            [
                ["id": "a", "title": "With", "artists": [["id": "r"]], "images": [.object(image)]],
                ["id": "b", "title": "Without", "artists": [["id": "r"]]],
            ])
        let file = try test.files.store(
            Picture.jpeg(id: "i", format: "medium", aspectRatio: 1.5), type: "image/jpeg")
        let record = FileRecord(
            .image("i", format: "larger", role: .picture, of: Owner(.artwork, "a")),
            entry: ImageRecord(try ImageEntry(image)).entry, file: file, etag: nil, lastModified: nil)
        _ = try store.apply([.file(record)], run: nil)
        try store.updateSearchIndex()
        let own = try await page("/artwork/a").text
        #expect(own.components(separatedBy: "<img ").count - 1 == 1, "only its own figure")
        #expect(own.contains("No picture"))
        let other = try await page("/artwork/b").text
        #expect(other.components(separatedBy: ">No picture<").count - 1 == 1, "only its own place")
    }
}
