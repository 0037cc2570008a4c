import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Facets of lists")
struct FacetTests {
    private let fixture: BrowsingFixture

    init() throws { fixture = try BrowsingFixture() }

    private func counts(_ facet: Facet, _ query: ArtworkQuery = ArtworkQuery()) throws -> [String: Int?]? {
        try fixture.store.guide(query).facets.first { $0.facet == facet }.map { offered in
            Dictionary(offered.values.map { ($0.value, $0.count) }) { first, _ in first }
        }
    }

    @Test func `Each value has the number of artworks that the face may see`() throws {
        #expect(try counts(.category) == ["Painting": 4, "Print": 4, "Drawing": 3])
        #expect(
            try counts(.category, ArtworkQuery(face: .staff)) == ["Painting": 5, "Print": 4, "Drawing": 3])
        #expect(try counts(.artist) == ["zorn": 4, "durer": 4, "hokusai": 3])
        #expect(try counts(.century) == ["15": 1, "16": 3, "19": 6])
    }

    @Test func `A text field without a column is a facet if its values divide the artworks`() throws {
        #expect(try counts(.field("department")) == ["Europe": 8, "Asia": 3])
        #expect(try counts(.field("department"), ArtworkQuery(face: .staff))?["Secret"] == .some(1))
        #expect(
            try fixture.store.guide(ArtworkQuery(face: .staff)).facets.allSatisfy {
                $0.facet != .field("price")
            })
    }

    @Test func `A facet with one value is left out`() throws {
        let facets = try fixture.store.guide(ArtworkQuery()).facets.map(\.facet)
        #expect(!facets.contains(.place) && !facets.contains(.pictures) && !facets.contains(.medium))
    }

    @Test func `Values are counted under the other filters`() throws {
        let prints = ArtworkQuery(filters: [.category: "Print"])
        #expect(try counts(.artist, prints) == ["durer": 2, "hokusai": 2])
        #expect(try counts(.category, prints) == ["Painting": 4, "Print": 4, "Drawing": 3])
        let both = ArtworkQuery(filters: [.category: "Print", .artist: "durer"])
        #expect(try counts(.category, both) == ["Print": 2, "Drawing": 2])
        #expect(try counts(.artist, both) == ["durer": 2, "hokusai": 2])
        let chosen = try #require(try fixture.store.guide(both).facets.first { $0.facet == .artist })
        #expect(chosen.values.filter(\.isChosen).map(\.label) == ["Albrecht Dürer"])
    }

    @Test func `In the order of dates, too, another century can be chosen`() throws {
        let query = ArtworkQuery(filters: [.category: "Print", .century: "16"], sort: .year)
        #expect(try counts(.century, query) == ["16": 2, "19": 2])
        #expect(try fixture.store.guide(query).centuries.map(\.century) == [16])
    }

    @Test func `Decades are offered within a century, in order`() throws {
        #expect(try counts(.decade) == nil)
        let offered = try #require(
            try fixture.store.guide(ArtworkQuery(filters: [.century: "19"])).facets.first {
                $0.facet == .decade
            })
        #expect(offered.values.map(\.value) == ["1830", "1840", "1890"])
        #expect(offered.values.map(\.count) == [2, 1, 2])
    }

    @Test(
        arguments: [
            ("1830", [19]), ("1800", [18, 19]), ("1900", [19, 20]), ("10", [1]), ("0", [-1, 1]),
            ("-10", [-1]),
            ("-90", [-1]), ("-100", [-2, -1]), ("-490", [-5]), ("-500", [-6, -5]), ("x", []),
        ] as [(String, [Int])])
    func `A decade is offered in each century that has years of it`(_ decade: String, _ centuries: [Int]) {
        let found = (-25...25).filter { $0 != 0 && FacetCounter.isDecade(decade, of: $0) }
        #expect(found == centuries)
    }

    @Test func `Numbers are exact after updates, as after a rebuild`() throws {
        func all() throws -> [String] {
            try fixture.store.read {
                try String.fetchAll(
                    $0,
                    sql: """
                        SELECT facet || '=' || value || ' ' || artworks || ' ' || hidden FROM facet_value
                        WHERE artworks > 0 ORDER BY 1
                        """)
            }
        }
        try fixture.put(.artwork, "a", ["title": "Wave again", "category": "Book", "published": false])
        try fixture.put(.artwork, "m", ["title": "New", "category": "Print", "department": "Africa"])
        try fixture.remove("c")
        try fixture.put(.artist, "zorn", ["name": "Anders Leonard Zorn"])
        try fixture.store.updateSearchIndex()
        let updated = try all()
        try fixture.store.rebuildSearchIndex()
        #expect(try all() == updated)
        #expect(try counts(.category) == ["Painting": 4, "Print": 4, "Drawing": 2])
        #expect(try counts(.field("department"), ArtworkQuery(face: .staff))?["Africa"] == .some(1))
    }

    @Test func `An artwork is found with a picture as soon as its file is stored and indexed`() throws {
        try fixture.put(
            .artwork, "a", ["title": "The Wave", "images": [["id": "i", "image_url": "i/larger.jpg"]]])
        try fixture.store.updateSearchIndex()
        #expect(try fixture.ids(ArtworkQuery(filters: [.pictures: "here"])).isEmpty)
        try fixture.storeFile("i", format: "square", of: "a")
        try fixture.store.updateSearchIndex()
        #expect(try fixture.ids(ArtworkQuery(filters: [.pictures: "here"])).isEmpty)
        try fixture.storeFile("i", of: "a")
        try fixture.store.updateSearchIndex()
        #expect(try fixture.ids(ArtworkQuery(filters: [.pictures: "here"])) == ["a"])
        #expect(try counts(.pictures) == ["here": 1, "none": 10])
    }

    @Test func `An artwork has a picture here only if a page can show it`() throws {
        func expect(_ ids: [String]) throws {
            try fixture.store.updateSearchIndex()
            let query = ArtworkQuery(filters: [.pictures: "here"])
            #expect(try fixture.ids(query) == ids)
            let shown = try fixture.store.artworks(ArtworkQuery()).items.filter { $0.picture.choice != nil }
            #expect(shown.map(\.id) == ids)
        }
        let images = (0...20).map { number in
            JSONValue.object(["id": .string("i\(number)"), "image_url": "i/larger.jpg"])
        }
        try fixture.put(.artwork, "a", ["title": "The Wave", "images": .array(images)])
        try fixture.storeFile("i0", of: "a", type: "image/tiff")
        try expect([])
        try fixture.storeFile("i1", of: "a", pixels: PixelSize.none)
        try expect([])
        try fixture.storeFile("i20", of: "a")
        try expect([])
        try fixture.storeFile("i19", of: "a")
        try expect(["a"])
        // The file can't be read, so it is no picture.
        try fixture.store.readPixelSizes(in: fixture.test.folder.files)
        try expect([])
        try fixture.storeFile("i2", of: "a", pixels: PixelSize(width: 640, height: 480))
        try expect(["a"])
    }

    @Test func `An artwork with damaged JSON doesn't stop an update of the index`() throws {
        try fixture.store.write { db in
            try db.execute(sql: "UPDATE artwork SET json = '{' WHERE id = 'a'")
            try db.execute(sql: "INSERT INTO unindexed_artwork (id) VALUES ('a')")
        }
        try fixture.store.updateSearchIndex()
        #expect(try counts(.field("department")) == ["Europe": 8, "Asia": 2])
        try fixture.store.rebuildSearchIndex()
        #expect(try counts(.field("department")) == ["Europe": 8, "Asia": 2])
        #expect(try fixture.ids(ArtworkQuery()).count == 11)
    }

    @Test func `An artwork that moved is found at its new place`() throws {
        try fixture.put(.location, "r", ["name": "Room 1"])
        try fixture.put(.location, "s", ["name": "Room 2"])
        func move(_ location: String, _ ids: [String]) throws {
            let run = try fixture.test.beginRun()
            _ = try fixture.test.members(Owner(.location, location), ids, run: run)
            _ = try fixture.test.finish(run)
            try fixture.store.updateSearchIndex()
        }
        try move("r", ["a", "b"])
        #expect(try fixture.ids(ArtworkQuery(filters: [.place: "r"], sort: .title)) == ["b", "a"])
        try move("s", ["a"])
        try move("r", ["b"])
        #expect(try fixture.ids(ArtworkQuery(filters: [.place: "r"])) == ["b"])
        #expect(try fixture.ids(ArtworkQuery(filters: [.place: "s"])) == ["a"])
        #expect(try counts(.place) == ["r": 1, "s": 1, "": 9])
    }

    @Test(
        arguments: [
            (nil, nil, 2, [(1 << 52) + (1 << 30), (1 << 52) + (2 << 30)]), (100, nil, 1, [100 + (1 << 30)]),
            (nil, 100, 2, [100 - (2 << 30), 100 - (1 << 30)]), (0, 30, 2, [10, 20]), (0, 3, 2, [1, 2]),
            (0, 2, 2, nil), (5, 6, 1, nil),
        ] as [(Int?, Int?, Int, [Int]?)])
    func `New places are spread evenly between their neighbours`(
        _ lower: Int?, _ upper: Int?, _ count: Int, _ places: [Int]?
    ) {
        #expect(PlaceGap(after: lower, before: upper).places(count) == places)
    }

    @Test func `An order without room between two artworks gets new places`() throws {
        try fixture.store.write { db in
            try db.execute(sql: "INSERT INTO artwork_by_title (artwork_by_title) VALUES ('delete-all')")
            try db.execute(
                sql: """
                    DELETE FROM artwork_place_title;
                    INSERT INTO artwork_place_title (place, number)
                      SELECT row_number() OVER (ORDER BY title, id), number FROM artwork_entry;
                    INSERT INTO artwork_by_title (rowid, words)
                      SELECT place, words FROM artwork_place_title p JOIN artwork_entry e ON e.number = p.number ORDER BY 1
                    """)
        }
        try fixture.put(.artwork, "m", ["title": "Bath", "published": true])
        try fixture.store.updateSearchIndex()
        #expect(try fixture.ids(ArtworkQuery(sort: .title)).prefix(3) == ["l", "j", "m"])
        #expect(try fixture.ids(ArtworkQuery(sort: .title)).count == 12)
    }
}
