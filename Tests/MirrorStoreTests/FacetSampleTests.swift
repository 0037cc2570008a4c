import Catalogue
import Testing

@testable import MirrorStore

@Suite("Facets of long lists")
struct FacetSampleTests {
    private let fixture: BrowsingFixture

    /// 1,200 prints by two artists, whose titles begin with five letters, and some paintings by others.
    init() throws {
        fixture = try BrowsingFixture(indexed: false)
        let letters = ["A", "K", "M", "S", "W"]
        for number in 0..<1_200 {
            try fixture.put(
                .artwork, "p\(number)",
                BrowsingFixture.json(
                    (
                        "\(letters[number % 5]) print \(number)", number % 3 == 0 ? "hokusai" : "durer",
                        number % 2 == 0 ? "1510" : "1840", "Print", ["Works on paper", "Asia"][number % 2]
                    )))
        }
        for number in 0..<40 {
            try fixture.put(
                .artwork, "z\(number)",
                BrowsingFixture.json(("Zebra \(number)", "zorn", "1895", "Painting", "Oils")))
        }
        try fixture.store.updateSearchIndex()
    }

    private let prints = ArtworkQuery(filters: [.category: "Print"], sort: .title)

    private func expectNoDeadEnd(_ facets: [OfferedFacet], under query: ArtworkQuery) throws {
        for offered in facets {
            for value in offered.values where !value.isChosen {
                var query = query
                query.filters[offered.facet] = value.value
                #expect(
                    try !fixture.store.artworks(query).items.isEmpty, "\(offered.facet.name): \(value.value)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `no value that a long list offers leads to nothing`(isThorough: Bool) throws {
        let facets = try fixture.store.guide(prints, isThorough: isThorough).facets
        try expectNoDeadEnd(facets, under: prints)
        let departments = try #require(facets.first { $0.facet == .field("department") })
        #expect(departments.values.prefix(2).map(\.value).sorted() == ["Asia", "Works on paper"])
        #expect(departments.values.allSatisfy { $0.count == nil } && departments.hasMore)
        let artists = try #require(facets.first { $0.facet == .artist })
        #expect(artists.values.prefix(2).map(\.value) == ["durer", "hokusai"])
        // Its other values are known, because no other filter is left without it.
        #expect(facets.first { $0.facet == .category }?.values.map(\.count) == [1_204, 44, 3])
    }

    @Test func `the letters of a long list are those of its artworks, also the rare ones`() throws {
        // Young Hare and others are no prints; Fuji, Melencolia, Rhinoceros and The Wave are.
        #expect(
            try fixture.store.guide(prints).letters.map(\.letter).sorted()
                == ["A", "F", "K", "M", "R", "S", "T", "W"])
        var byDate = prints
        byDate.sort = .year
        #expect(try fixture.store.guide(byDate).centuries.map(\.century) == [16, 19])
    }

    @Test func `artworks that are neighbours in the sample's order are found, too`() throws {
        var zorn = ArtworkQuery(filters: [.century: "19"])
        zorn.filters[.category] = "Print"
        let facets = try fixture.store.guide(zorn).facets
        try expectNoDeadEnd(facets, under: zorn)
        #expect(facets.contains { $0.facet == .artist })
    }

    @Test func `a search that finds many offers values that narrow it`() throws {
        let query = ArtworkQuery()
        let found = try fixture.store.search(SearchWords("print"), query)
        #expect(found.total == 1_204)
        let artists = try #require(found.facets.first { $0.facet == .artist })
        #expect(artists.values.map(\.value) == ["durer", "hokusai"])
        for value in found.facets.flatMap({ facet in facet.values.map { (facet.facet, $0.value) } }) {
            let narrowed = ArtworkQuery(filters: [value.0: value.1])
            #expect(try fixture.store.search(SearchWords("print"), narrowed).total != 0)
        }
    }

    @Test func `a sample of few artworks has all of them`() throws {
        let counts = try fixture.store.snapshot { reader -> [Int] in
            let filter = try WordFilter(
                ArtworkQuery(filters: [.category: "Painting"]), today: fixture.store.today, in: reader.db)
            let sample = try FacetSample(of: filter, size: 150, in: reader.db)
            return sample.tally.counts.values.map(\.artworks).sorted()
        }
        #expect(counts.last == 44)
    }
}
