import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Searches on the pages")
struct PageSearchTests {
    private let fixture: BrowsingFixture

    init() throws {
        fixture = try BrowsingFixture(indexed: false)
        try fixture.put(.show, "s", ["name": "Waves of Print"])
        try fixture.put(.album, "m", ["name": "Wave album", "private": true])
        try fixture.put(.location, "r", ["name": "Wave room"])
        try fixture.store.updateSearchIndex()
    }

    private func search(_ text: String, _ query: ArtworkQuery = ArtworkQuery()) throws -> SearchResult {
        try fixture.store.search(SearchWords(text), query)
    }

    @Test func `a title that is searched for is first, then titles with all the words`() throws {
        let titles = ["a": "Bats", "b": "The great bat", "c": "Night", "d": "Bat", "e": "Bat and owl"]
        for (id, title) in titles {
            let medium: JSONValue = id == "c" ? "Ink, with a bat" : "Ink"
            try fixture.put(
                .artwork, "bat-\(id)",
                ["title": .string(title), "medium": medium, "artists": [["id": "durer"]], "published": true])
        }
        try fixture.store.updateSearchIndex()
        let found = try fixture.store.artworks(with: SearchWords("bat"), ArtworkQuery()).ids
        #expect(found.first(where: { $0.hasPrefix("bat-") }) == "bat-d")
        let own = found.filter { $0.hasPrefix("bat-") }
        #expect(own == ["bat-d", "bat-e", "bat-b", "bat-a", "bat-c"])
    }

    @Test func `Artists, artworks, shows, albums and locations are found`() throws {
        let wave = try search("wave")
        #expect(wave.artworks.map(\.id) == ["a"] && wave.isOrdered)
        #expect(wave.total == 1)
        #expect(wave.others.map(\.id) == ["s", "r"] && wave.artists.isEmpty)
        #expect(try search("wave", ArtworkQuery(face: .staff)).others.map(\.id) == ["s", "m", "r"])
        let zorn = try search("ZÓRN")
        #expect(
            zorn.artists.map(\.id) == ["zorn"] && zorn.artworks.map(\.id).sorted() == ["f", "g", "h", "i"])
    }

    @Test func `Visitors never find a hidden artwork`() throws {
        #expect(try search("hidden").isEmpty && search("hidden").unknown == ["hidden"])
        #expect(
            try search("hidden", ArtworkQuery(face: .staff)).artworks.map(\.id) == [BrowsingFixture.hidden])
        #expect(try search("SECRET", ArtworkQuery(face: .staff)).isEmpty)
    }

    @Test func `A private album takes no place of one that visitors may see`() throws {
        try fixture.put(.album, "n", ["name": "Wave album, public"])
        try fixture.store.updateSearchIndex()
        try fixture.store.snapshot { reader in
            for (face, id) in [(Face.visitors, "n"), (.staff, "m")] {
                let search = PageSearch(words: SearchWords("wave"), face: face, reader: reader)
                let names = try search.names([.album], limit: 1)
                #expect(names.map(\.id) == [id])
            }
        }
    }

    @Test func `A search is filtered`() throws {
        let query = ArtworkQuery(filters: [.category: "Drawing"])
        #expect(try search("durer", query).artworks.map(\.id).sorted() == ["c", "l"])
        #expect(try search("durer", query).artists.isEmpty)
        let facets = try search("durer").facets
        let category = try #require(facets.first { $0.facet == .category })
        #expect(category.values.map(\.value).sorted() == ["Drawing", "Print"])
        #expect(category.values.map(\.count) == [2, 2])
    }

    @Test(arguments: ["f1", "f2 f3", "words : f1", "artwork", "visitors", "\"", "* OR a", "NOT", "(", "a\0b"])
    func `The index's own words and syntax find nothing that people didn't ask for`(_ text: String) throws {
        _ = try search(text)
        #expect(try search("f1").artworks.isEmpty && fixture.store.search("f1", limit: 5).isEmpty)
    }

    @Test func `A search is ordered by the best match, or by artist or date`() throws {
        let found = try search("zorn").artworks.map(\.id)
        for sort in [ArtworkSort.artist, .year, .title] {
            let sorted = try fixture.store.search(SearchWords("zorn"), ArtworkQuery(), by: sort).artworks
            let query = ArtworkQuery(filters: [.artist: "zorn"], sort: sort)
            #expect(sorted == (try fixture.store.artworks(query).items), "\(sort)")
            #expect(sorted.count == found.count)
            let ids = try fixture.store.artworks(with: SearchWords("zorn"), ArtworkQuery(), by: sort).ids
            #expect(ids == sorted.map(\.id))
        }
        #expect(try fixture.store.search(SearchWords("zorn"), ArtworkQuery(), limit: 2).artworks.count == 2)
    }

    /// Whole words are read first, and the beginnings of words only if they find few enough.
    @Test(arguments: ["zorn", "zor"])
    func `More artworks than can be compared are neither counted nor ordered`(_ text: String) throws {
        try fixture.store.snapshot { reader in
            let query = ArtworkQuery(), all = Set(["f", "g", "h", "i"])
            for most in 1...5 {
                let search = PageSearch(
                    words: SearchWords(text), face: .visitors, reader: reader, mostCompared: most)
                let filter = try WordFilter(query, today: "2026-11-27", in: reader.db)
                let hits = try search.hits(filter)
                #expect(hits.total == (most < 4 ? nil : 4))
                for sort in [nil, ArtworkSort.artist] {
                    let ids = try search.ids(hits, filter, by: sort, limit: 3)
                    #expect(ids.count == min(most + 1, 3) && all.isSuperset(of: ids))
                }
                let names = try search.names(CatalogueStore.namedKinds, limit: 20)
                #expect(names.map(\.id) == ["zorn"])
            }
        }
    }

    @Test func `Names of each kind are found although there are too many to compare`() throws {
        try fixture.store.snapshot { reader in
            for most in 0...4 {
                let search = PageSearch(
                    words: SearchWords("wave"), face: .staff, reader: reader, mostNamesCompared: most)
                let names = try search.names(CatalogueStore.namedKinds, limit: 1)
                #expect(names.map(\.id) == ["s", "m", "r"], "\(most)")
            }
        }
    }

    @Test func `The words that nothing contains are reported`() throws {
        #expect(try search("wave xylophone").unknown == ["xylophone"])
        #expect(try search("wave melencolia").unknown.isEmpty && search("wave melencolia").isEmpty)
        #expect(try search("").isEmpty)
    }

    @Test func `A long query is cut`() {
        let words = SearchWords((0..<1_000).map { "w\($0)" }.joined(separator: " "))
        #expect(words.words.count == SearchWords.mostWords)
        #expect(SearchWords(String(repeating: "a", count: 10_000)).words.map(\.count) == [64])
        #expect(SearchWords(" — * \" ").words.isEmpty)
    }

    @Test(
        arguments: [
            ("van", "Vincent van Gogh and Vanessa", ["van", "Vanessa"]),
            ("durer", "Albrecht Dürer", ["Dürer"]),
            ("DÜ", "Dürer, durum", ["Dürer", "durum"]), ("o'k", "O Keeffe", ["O", "Keeffe"]),
            ("x", "abc", []),
        ] as [(String, String, [String])])
    func `The words that a search finds are marked`(_ query: String, _ text: String, _ marked: [String]) {
        #expect(SearchWords(query).marks(in: text).map { String(text[$0]) } == marked)
    }
}

@Suite("The picture that a list shows")
struct PictureChooserTests {
    private func candidate(
        _ format: String, _ width: Int?, _ height: Int?, isStored: Bool = true, isUnavailable: Bool = false
    )
        -> PictureChooser.Candidate
    {
        let file = StoredFile(hash: format, size: 1, path: format, type: "image/jpeg")
        return PictureChooser.Candidate(
            format: format, file: isStored ? file : nil, width: width, height: height,
            isUnavailable: isUnavailable)
    }

    private func picture(_ files: PictureChooser.Candidate..., isProcessing: Bool = false)
        -> PictureChooser.Picture
    {
        PictureChooser.Picture(id: "p", ratio: 1.5, isProcessing: isProcessing, files: files)
    }

    @Test func `It is the smallest file of at least 400 pixels, never a square`() {
        let choice = PictureChooser.choice(
            for: picture(
                candidate("square", 500, 500), candidate("medium", 300, 200), candidate("larger", 1_024, 700),
                candidate("normalized", 4_000, 3_000)))
        #expect(choice?.format == "larger" && choice?.width == 1_024)
        let medium = PictureChooser.choice(
            for: picture(candidate("medium", 200, 400), candidate("larger", 600, 900)))
        #expect(medium?.format == "medium" && medium?.ratio == 0.5)
    }

    @Test func `Without a large one it is the largest, and one of unknown size counts as large`() {
        #expect(
            PictureChooser.choice(for: picture(candidate("medium", 200, 100), candidate("larger", 300, 100)))?
                .format
                == "larger")
        let unknown = PictureChooser.choice(
            for: picture(candidate("larger", nil, nil), candidate("medium", nil, nil)))
        #expect(unknown?.format == "medium" && unknown?.width == nil && unknown?.ratio == 1.5)
    }

    @Test func `Files that are no pictures are not shown`() {
        #expect(PictureChooser.choice(for: picture(candidate("larger", 0, 0))) == nil)
        let text = StoredFile(hash: "t", size: 1, path: "t", type: "text/html")
        let html = PictureChooser.Candidate(
            format: "larger", file: text, width: nil, height: nil, isUnavailable: false)
        #expect(PictureChooser.choice(for: picture(html)) == nil)
    }

    @Test func `Without a picture, the reason is given`() {
        #expect(PictureChooser.choose(among: []) == .none)
        #expect(PictureChooser.choose(among: [picture()]) == .notHere(ratio: 1.5))
        #expect(PictureChooser.choose(among: [picture(isProcessing: true)]) == .processing(ratio: 1.5))
        let missing = picture(candidate("larger", nil, nil, isStored: false, isUnavailable: true))
        #expect(PictureChooser.choose(among: [picture(candidate("larger", 0, 0))]) == .unreadable(ratio: 1.5))
        #expect(PictureChooser.choose(among: [missing]) == .missing(ratio: 1.5))
        #expect(
            PictureChooser.choose(among: [missing, picture(candidate("larger", 500, 400))]).choice != nil)
        #expect(
            PictureChooser.choose(among: [picture(candidate("square", 500, 500))]) == .notHere(ratio: 1.5))
    }
}
