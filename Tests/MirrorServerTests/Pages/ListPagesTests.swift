import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("Lists, searches and the first page") struct ListPagesTests {
    private let test: TestServer

    init() throws { test = try TestServer(catalogue: false) }

    private func finishRun() throws {
        let run = try test.store.beginRun("sync")
        try test.store.updateSearchIndex()
        try test.store.endRun(run, outcome: "complete", summary: "{}", errors: [])
    }

    @Test func `during a first sync lists and searches say when they are made`() async throws {
        try test.put(artwork: "a", ("title", "One"))
        let sentence = "Lists and searches are made at the end of the first sync."
        for path in ["", "/artworks", "/artists", "/shows", "/search?q=one"] {
            #expect(try await test.page(path).text.contains(sentence), "\(path)")
        }
        try finishRun()
        for path in [
            "", "/artworks", "/artists", "/search?q=one", "/search?q=nothing", "/artworks?category=none",
        ] {
            #expect(try await !test.page(path).text.contains(sentence), "\(path)")
        }
    }

    @Test func `an empty list says whether filters made it empty`() async throws {
        try test.put(artist: "r", ("name", "Rembrandt"))
        try finishRun()
        #expect(try await test.page("/artworks").text.contains("No artwork is here."))
        #expect(try await test.page("/shows").text.contains("No show is here."))
        #expect(try await !test.page("/artists").text.contains("is here."))
        #expect(
            try await test.page("/artworks?category=Print").text.contains("No artwork has all of these."))
    }

    @Test func `an artwork that is reached from the list of all has its place in it`() async throws {
        for id in ["a", "b", "c"] { try test.put(artwork: id, ("title", .string("Work \(id)"))) }
        try finishRun()
        let list = try await test.page("/artworks").text
        #expect(list.contains("href=\"/test/artwork/b?in=all\""))
        let text = try await test.page("/artwork/b?in=all").text
        #expect(text.contains("2 of 3 in <a href=\"/test/artworks\""))
        let filtered = try await test.page("/artworks?sort=title").text
        #expect(filtered.contains("href=\"/test/artwork/b?in=sort=title\""))
    }

    @Test func `a menu leads to all values of its facet`() async throws {
        for number in 1...9 {
            try test.put(
                artwork: "a\(number)", ("title", "Wave"), ("category", .string("Kind \(number)")))
        }
        try finishRun()
        for path in ["/artworks", "/search?q=wave"] {
            let menu = path.contains("?") ? "&amp;menu=category" : "?menu=category"
            let list = try await test.page(path).text
            #expect(
                list.contains(
                    "<a href=\"\(path.contains("?") ? "?q=wave" : "")\(menu)\"><bdi>All 9</bdi></a>"))
            #expect(list.components(separatedBy: "category=Kind").count - 1 == 5, "\(path)")
            let all = try await test.page(path + menu.replacing("&amp;", with: "&")).text
            #expect(all.contains("id=\"values\" class=\"under\">Category<span class=\"count\">9<"), "\(path)")
            for number in 1...9 { #expect(all.contains("<span dir=\"auto\">Kind \(number)</span>")) }
            #expect(all.contains(">Back to the list</a>") && !all.contains("class=\"hang\""), "\(path)")
        }
        #expect(try await test.page("/artworks?menu=none").text.contains("class=\"hang\""))
    }

    @Test func `five facets have a menu each, and the others share one that names them`() async throws {
        for number in 1...6 {
            try test.put(artist: "r\(number)", ("name", .string("Rembrandt \(number)")))
            try test.put(
                artwork: "a\(number)", ("title", "Wave"),
                ("artist", .object(JSONObject([("id", .string("r\(number)"))]))),
                ("category", .string("Kind \(number % 3)")),
                ("medium", .string("Oil \(number % 2)")), ("date", .string("1\(number)00")),
                ("department", .string("Prints \(number % 2)")), ("culture", .string("Of \(number % 2)")),
                ("classification", .string("Flat \(number % 2)")))
        }
        try finishRun()
        let text = try await test.page("/artworks").text
        let menus = text.matches(of: #/<summary>([^<]*)<\/summary>/#).map { String($0.1) }
        #expect(menus == ["Category", "Date", "Artist", "Medium", "Classification", "More"])
        for entry in ["Oil 1", "Department: Prints 1", "Culture: Of 1"] {
            #expect(text.contains("<bdi>\(entry)</bdi>"), "\(entry)")
        }
    }

    @Test func `a caption says where a search found the artwork, unless its title or artist shows it`()
        async throws
    {
        try test.put(artwork: "a", ("title", "Wave"), ("medium", "Print on wave paper"))
        try test.put(artwork: "b", ("title", "Hare"), ("medium", "Wave etching"))
        try test.put(artwork: "c", ("title", "Bat"), ("category", "Waves"), ("medium", "Oil"))
        try finishRun()
        let text = try await test.page("/search?q=wave").text
        #expect(text.ranges(of: "Found in the record").count == 1)
        let line = "<small dir=\"auto\">"
        #expect(text.contains(line + "Wave etching") && !text.contains(line + "Print on"))
        #expect(try await !test.page("/artworks").text.contains("Found in the record"))
    }

    @Test func `a search is ordered by best match, artist or date`() async throws {
        try test.put(artwork: "a", ("title", "Wave"), ("date", "1900"))
        try test.put(artwork: "b", ("title", "Wave"), ("date", "1800"))
        try finishRun()
        let best = try await test.page("/search?q=wave").text
        #expect(best.contains("<span aria-current=\"true\">best match</span>"))
        #expect(best.contains("<a href=\"?q=wave&amp;sort=date\">date</a>"))
        let byDate = try await test.page("/search?q=wave&sort=date").text
        #expect(byDate.contains("<a href=\"?q=wave\">best match</a>"))
        let ids = try await test.page("/search.json?q=wave&sort=date").json().objectValue?["items"]?
            .arrayValue
        #expect(ids?.map { $0.objectValue?["id"]?.stringValue } == ["b", "a"])
        let text = try await test.page("/artwork/a?in=q%3Dwave%26sort%3Ddate").text
        #expect(text.contains("2 of 2 in"))
        let one = try await test.page("/search?q=1900").text
        #expect(!one.contains("best match"))
    }

    private func nameArtists(_ count: Int) throws {
        for number in 1...count {
            try test.put(artist: "r\(number)", ("name", .string("Rembrandt \(number)")))
        }
        try finishRun()
    }

    @Test func `a search counts artists only if it found all`() async throws {
        try nameArtists(25)
        let text = try await test.page("/search?q=rembrandt").text
        #expect(text.contains("At least 20 artists."))
        #expect(!text.contains("Artists<span class=\"count\">"))
    }

    @Test func `a search that found all artists counts them`() async throws {
        try nameArtists(3)
        let text = try await test.page("/search?q=rembrandt").text
        #expect(text.contains(">3 artists.<") && text.contains("Artists<span class=\"count\">3</span>"))
        #expect(!text.contains("in the JSON"))
    }

    @Test func `artists that only their texts have the words of are counted, and in the JSON`() async throws {
        for number in 1...8 {
            try test.put(
                artist: "r\(number)", ("name", .string("Artist \(number)")), ("blurb", "Born in Leiden"))
        }
        try finishRun()
        let json = try await test.page("/search.json?q=leiden").json().objectValue
        let found = json?["artists"]?.arrayValue?.count ?? 0
        try #require(found == 8)
        let text = try await test.page("/search?q=leiden").text
        #expect(text.contains("8 artists."))
        #expect(
            text.contains("href=\"/test/search.json?q=leiden\" dir=\"auto\">All 8 artists found, in the JSON")
        )
    }

    @Test func `a search that finds nothing leads to the words that find something alone`() async throws {
        try test.put(artwork: "a", ("title", "Wave"))
        try test.put(artwork: "b", ("title", "Waves"))
        try test.put(artwork: "c", ("title", "Boat"))
        try finishRun()
        let text = try await test.page("/search?q=wave+boat+xylophone").text
        #expect(text.contains(">One word alone</h2>"))
        #expect(text.contains("<a href=\"/test/search?q=wave\" dir=\"auto\">wave</a>"))
        #expect(text.contains(">2 artworks</span>") && text.contains(">1 artwork</span>"))
        #expect(!text.contains("/test/search?q=xylophone\""))
        for path in ["/search?q=xylophone", "/search?q=wave", "/search?q=wave+boat&category=none"] {
            #expect(try await !test.page(path).text.contains("One word alone"), "\(path)")
        }
    }

    @Test func `numbers agree with the names of kinds`() {
        #expect(CountText(1).of(.artwork) == "1 artwork" && CountText(1_200).of(.artist) == "1,200 artists")
    }

    @Test(arguments: [
        (80, 80, "2 artworks, with all 80 pictures of artworks."),
        (70, 80, "2 artworks, with 70 of 80 pictures of artworks."),
        (1, 1, "2 artworks, with 1 picture of an artwork."),
        (0, 1, "2 artworks, with 0 of 1 picture of an artwork."),
        (0, 0, "2 artworks."),
    ])
    func `the first page says how many pictures are here`(here: Int, wanted: Int, text: String) {
        #expect(HomeSummary.text([(.artwork, 2)], pictures: (here, wanted), withPictures: 1) == text)
    }

    @Test func `pictures that were not counted have no number`() {
        let counts: [(kind: Kind, count: Int)] = [(.artwork, 2), (.show, 1)]
        #expect(HomeSummary.text(counts, pictures: nil, withPictures: nil) == "2 artworks, in 1 show.")
        #expect(
            HomeSummary.text(counts, pictures: nil, withPictures: 1)
                == "2 artworks, in 1 show, 1 with a picture here.")
    }

    @Test func `a search is looked through page by page, up to 200 artworks`() async throws {
        for number in 100..<310 {
            try test.put(artwork: "a\(number)", ("title", .string("Wave \(number)")))
        }
        try finishRun()
        var ids: Set<String> = [], path: String? = "/test/search?q=wave&sort=artist", pages = 0
        while let next = path, pages < 10 {
            let json = try await test.ask(.get, next.replacing("/search?", with: "/search.json?")).json()
                .objectValue
            for item in json?["items"]?.arrayValue ?? [] {
                ids.insert(item.objectValue?["id"]?.stringValue ?? "")
            }
            path = json?["next"]?.stringValue
            pages += 1
        }
        #expect(ids.count == 200 && pages == 4)
        let second = try await test.page("/search?q=wave&sort=artist&after=60").text
        #expect(second.contains("61–120 of 210") && second.contains("The first 200 are here."))
        for forged in ["-1", "200", "99999999999", "x"] {
            let text = try await test.page("/search?q=wave&after=\(forged)").text
            #expect(text.contains("1–60 of 210"), "\(forged)")
        }
    }

    @Test func `the chip of a filter has its name also beside filters that leave nothing`() async throws {
        try test.put(artist: "r", ("name", "Anders Zorn"))
        try test.put(
            artwork: "a", ("title", "Wave"), ("category", "Print"), ("artists", [["id": "r"]]))
        try test.put(artwork: "b", ("title", "Sea"), ("category", "Painting"))
        try finishRun()
        let text = try await test.page("/artworks?artist=r&category=Painting").text
        #expect(text.contains("<span dir=\"auto\">Anders Zorn</span><span aria-hidden=\"true\">×"))
    }

    /// A run hides an artwork at once, and updates the index at its end.
    @Test func `what a run has just hidden is in no count, filter or search`() async throws {
        let fields: [(String, JSONValue)] = [
            ("title", "Flipped"), ("category", "Zq"), ("medium", "Zqmedium"),
        ]
        try test.put(artwork: "b", ("title", "Sea"), ("category", "Print"))
        try test.put(artwork: "c", ("title", "Land"), ("category", "Drawing"))
        for id in ["a", "d"] { try test.put(artwork: id, fields[0], fields[1], fields[2]) }
        try finishRun()
        for id in ["a", "d"] {
            try test.put(artwork: id, fields[0], fields[1], fields[2], ("published", false))
        }
        for path in ["", "/artworks", "/search?q=zqmedium", "/artworks?category=Print"] {
            let text = try await test.page(path).text
            #expect(!text.contains("Zq<") && !text.contains("4 artworks"), "\(path)")
        }
        func total(_ path: String) async throws -> JSONValue? {
            try await test.page(path).json().objectValue?["total"]
        }
        #expect(try await total("/artworks.json") == 2)
        #expect(try await total("/artworks.json?category=Zq") == .null)
        #expect(try await total("/search.json?q=zqmedium") == 0)
        #expect(try await total("/search.json?q=nothing") == 0)
        try finishRun()
        #expect(try await total("/artworks.json?category=Zq") == 0)
        #expect(try await test.page("/artworks").text.contains("<summary>Category</summary>"))
    }

    @Test func `an address of no mirror leads to the list of mirrors`() async throws {
        let other = CatalogueServer(
            mirrors: ["one", "two"].map { .init(name: $0, store: test.store, files: test.files) })
        let text = try await test.ask(.get, "/three", of: other).text
        #expect(
            text.contains("No mirror has this address.") && text.contains("<a href=\"/\">the first page</a>"))
    }

    @Test func `a menu without counts offers the most common values, not the first`() async throws {
        for century in 1...9 {
            for number in 1...century {
                try test.put(
                    artwork: "a\(century)\(number)", ("title", "Wave"), ("date", .string("1\(century)50")))
            }
        }
        try finishRun()
        let query = ArtworkQuery(), century = Facet.century
        let facet = try #require(try test.store.guide(query).facets.first { $0.facet == century })
        let choice = ListChoice([], for: .visitors)
        let uncounted = OfferedFacet(
            facet: century,
            values: facet.values.map {
                FacetValue(value: $0.value, label: nil, count: nil, isChosen: false, rank: $0.rank)
            }, hasMore: false)
        let bar = FilterBar(choice, [uncounted], path: "/x", orders: [], menu: nil)
        let text = "\(bar.shown)"
        #expect(text.contains("20th century") && !text.contains("12th century"))
    }

    @Test func `a record of very many fields is cut, and says so`() async throws {
        let fields = (0..<300).map { ("field_\($0)", JSONValue.string(String(repeating: "x", count: 900))) }
        let body = JSONObject([("id", "a"), ("title", "Wave")] + fields)
        _ = try test.store.apply([.object(ObjectRecord(.artwork, try Artwork(body), etag: nil))], run: nil)
        let text = try await test.page("/artwork/a").text
        #expect(text.utf8.count < 60_000 && text.contains("more, in the JSON"))
    }
}
