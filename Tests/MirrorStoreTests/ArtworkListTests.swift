import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Lists of artworks")
struct ArtworkListTests {
    private let fixture: BrowsingFixture

    init() throws { fixture = try BrowsingFixture() }

    @Test(arguments: ArtworkSort.allCases)
    func `Staff see all artworks in each order`(_ sort: ArtworkSort) throws {
        let ids = try fixture.ids(ArtworkQuery(face: .staff, sort: sort))
        #expect(ids.sorted().joined() == "abcdefghijkl")
        let keys = try fixture.store.read { db in
            try ids.map { id in
                try Row.fetchOne(
                    db,
                    sql: "SELECT \(sort.keys.joined(separator: ", ")) FROM artwork_entry WHERE id = ?",
                    arguments: [id])
            }
        }
        let sorted = try fixture.store.read {
            try Row.fetchAll(
                $0,
                sql:
                    "SELECT \(sort.keys.joined(separator: ", ")) FROM artwork_entry ORDER BY \(sort.keys.joined(separator: ", "))"
            )
        }
        #expect(keys.compactMap(\.self) == sorted)
    }

    @Test func `Titles are ordered without regard to case, diacritics and quotes`() throws {
        let page = try fixture.store.artworks(ArtworkQuery(sort: .title))
        #expect(
            page.items.compactMap(\.title) == [
                "Apple", "Bat", "Fuji", "Melencolia I", "Midnight", "Öland", "Omnibus", "“Quoted”",
                "Rhinoceros",
                "The Wave", "Young Hare",
            ])
    }

    @Test func `Artworks without a date are last in the order of years`() throws {
        let page = try fixture.store.artworks(ArtworkQuery(sort: .year))
        #expect(page.items.first?.id == "l" && page.items.last?.id == "i")
    }

    @Test func `Visitors get no hidden artwork in any order, and it isn't counted`() throws {
        for sort in ArtworkSort.allCases {
            #expect(try !fixture.ids(ArtworkQuery(sort: sort)).contains(BrowsingFixture.hidden))
        }
        #expect(try fixture.store.artworks(ArtworkQuery()).total == 11)
        #expect(try fixture.store.artworks(ArtworkQuery(face: .staff)).total == 12)
        let secret = ArtworkQuery(filters: [.field("department"): "Secret"])
        #expect(try fixture.store.artworks(secret).items.isEmpty)
        #expect(try fixture.store.artworks(secret).total == 0)
    }

    @Test(arguments: ArtworkSort.allCases, [1, 3, 4, 11, 60])
    func `Walking forwards meets every artwork once, and walking back returns`(
        _ sort: ArtworkSort, _ limit: Int
    ) throws {
        let query = ArtworkQuery(sort: sort), all = try fixture.ids(query, limit: limit)
        #expect(all.count == 11 && Set(all).count == 11)
        var pages: [[String]] = [], page = try fixture.store.artworks(query, limit: limit)
        #expect(page.previous == nil)
        while let next = page.next {
            page = try fixture.store.artworks(query, from: .after(next), limit: limit)
        }
        pages.append(page.items.map(\.id))
        while let previous = page.previous {
            page = try fixture.store.artworks(query, from: .before(previous), limit: limit)
            #expect(page.next != nil)
            pages.append(page.items.map(\.id))
        }
        #expect(pages.reversed().flatMap(\.self) == all)
    }

    @Test func `Filters are combined`() throws {
        let prints = ArtworkQuery(filters: [.category: "Print"], sort: .title)
        #expect(try fixture.ids(prints) == ["b", "e", "d", "a"])
        #expect(try fixture.store.artworks(prints).total == 4)
        let durers = ArtworkQuery(
            filters: [.category: "Print", .artist: "durer", .century: "16"], sort: .title)
        #expect(try fixture.ids(durers) == ["e", "d"])
        #expect(try fixture.store.artworks(durers).total == 2)
        #expect(try fixture.ids(ArtworkQuery(filters: [.decade: "1830"])) == ["a", "b"])
        #expect(try fixture.ids(ArtworkQuery(filters: [.category: "Print", .decade: "1890"])).isEmpty)
        #expect(try fixture.store.artworks(ArtworkQuery(filters: [.medium: "Nothing"])).total == 0)
    }

    @Test func `A page continues at its place after the artwork of its key was changed or removed`() throws {
        let query = ArtworkQuery(sort: .title)
        let first = try fixture.store.artworks(query, limit: 3)
        let next = try #require(first.next)
        let second = try fixture.store.artworks(query, from: .after(next), limit: 60).items.map(\.id)
        try fixture.remove("b")
        try fixture.store.updateSearchIndex()
        #expect(try fixture.store.artworks(query, from: .after(next)).items.map(\.id) == second)
        try fixture.store.rebuildSearchIndex()
        #expect(try fixture.store.artworks(query, from: .after(next)).items.map(\.id) == second)
    }

    @Test(arguments: ArtworkSort.allCases)
    func `After the last artwork there is the last page, and before the first one the first page`(
        _ sort: ArtworkSort
    ) throws {
        let prints = ArtworkQuery(filters: [.category: "Print"], sort: sort)
        for query in [ArtworkQuery(sort: sort), prints] {
            let all = try fixture.ids(query)
            let last = try fixture.store.artworks(query, from: .after(.end(of: sort)), limit: 3)
            #expect(last.items.map(\.id) == Array(all.suffix(3)) && last.next == nil)
            let previous = try #require(last.previous)
            let before = try fixture.store.artworks(query, from: .before(previous), limit: 60)
            #expect(before.items.map(\.id) == Array(all.dropLast(3)))
            let start = PageKey(
                sort.rawValue, sort.keys.map { ArtworkSort.numbers.contains($0) ? .number(.min) : .text("") })
            #expect(
                try fixture.store.artworks(query, from: .before(start), limit: 3)
                    == fixture.store.artworks(query, limit: 3))
        }
        let none = ArtworkQuery(filters: [.category: "Print", .decade: "1890"], sort: sort)
        #expect(try fixture.store.artworks(none, from: .after(.end(of: sort))).items.isEmpty)
    }

    @Test func `Letters and centuries lead to their first artwork`() throws {
        let query = ArtworkQuery(sort: .title), letters = try fixture.store.guide(query).letters
        #expect(letters.map(\.letter).sorted() == ["A", "B", "F", "M", "O", "Q", "R", "T", "Y"])
        for (letter, before) in letters {
            let first = try fixture.store.artworks(query, from: .after(before), limit: 1).items.first
            #expect(SortKey(first?.title ?? "")?.initial == letter)
        }
        #expect(
            try fixture.store.guide(ArtworkQuery(sort: .artist)).letters.map(\.letter).sorted() == [
                "D", "H", "Z",
            ])
        #expect(try fixture.store.guide(ArtworkQuery(sort: .change)).letters.isEmpty)
        let centuries = try fixture.store.guide(ArtworkQuery(sort: .year)).centuries
        #expect(centuries.map(\.century) == [15, 16, 19])
        let nineteenth = try fixture.store.artworks(
            ArtworkQuery(sort: .year), from: .after(centuries[2].before), limit: 1)
        #expect(nineteenth.items.first?.id == "h")
    }

    @Test func `An artwork's neighbours are those of the list it was found in`() throws {
        let query = ArtworkQuery(filters: [.category: "Print"], sort: .title)
        let middle = try #require(try fixture.store.neighbours(of: "e", in: query))
        #expect(middle == Neighbours(previous: "b", next: "d", number: 2, total: 4))
        #expect(try fixture.store.neighbours(of: "a", in: query)?.next == nil)
        #expect(try fixture.store.neighbours(of: "c", in: query) == nil)
        #expect(try fixture.store.neighbours(of: BrowsingFixture.hidden, in: ArtworkQuery()) == nil)
    }

    @Test func `The latest change comes first`() throws {
        try fixture.put(
            .artwork, "h", ["title": "Omnibus", "updated_at": "2027-01-14T00:00:00Z", "published": true])
        try fixture.store.updateSearchIndex()
        #expect(try fixture.store.artworks(ArtworkQuery(sort: .change)).items.first?.id == "h")
        // The store's clock stands at 15 January 2027.
        #expect(try fixture.ids(ArtworkQuery(filters: [.changed: "7"])) == ["h"])
        #expect(try fixture.ids(ArtworkQuery(filters: [.changed: "8"])).isEmpty)
    }

    @Test(
        arguments: [
            (["name": "Anders Zorn", "sortable_id": "Zorn, Anders", "published_artworks_count": 7], 0),
            (["name": "Zorn", "sortable_id": "Zorn, Anders"], 5),
            (["name": "Anders Zorn", "sortable_id": "Z"], 5),
        ] as [(JSONObject, Int)])
    func `Only an artist's names and sort key have the artworks indexed again`(
        _ fields: JSONObject, _ count: Int
    ) throws {
        try fixture.put(.artist, "zorn", fields)
        let queued = try fixture.store.write { db in
            try ArtworkIndex(db: db, today: "2026-11-27").queue(
                after: db.number("SELECT value FROM meta WHERE key = 'indexed_change'") ?? 0)
            return try db.number("SELECT count(*) FROM unindexed_artwork")
        }
        #expect(queued == count)
    }

    @Test func `An artwork whose change is dated in the future didn't change lately`() throws {
        for (id, day) in [("h", "2027-01-15"), ("g", "2027-01-16"), ("f", "2030-01-01"), ("b", "2027-01-08")]
        {
            try fixture.put(.artwork, id, ["title": "Work", "updated_at": .string("\(day)T00:00:00Z")])
        }
        try fixture.store.updateSearchIndex()
        let week = ArtworkQuery(filters: [.changed: "7"], sort: .change)
        #expect(try fixture.ids(week) == ["h", "b"])
        #expect(try fixture.store.artworks(week).total == 2)
    }

    @Test func `What was stored before the first complete run ended doesn't count as changed`() throws {
        let test = try TestStore(), store = test.store
        func run(_ id: String, _ outcome: String) throws {
            let run = try test.beginRun()
            try test.put(.make(.artwork, id, name: "Work \(id)"), run: run)
            try store.endRun(run, outcome: outcome, summary: "{}", errors: [])
            try store.updateSearchIndex()
        }
        func changed() throws -> [String] {
            try store.artworks(ArtworkQuery(filters: [.changed: "7"])).items.map(\.id)
        }
        for (id, outcome) in [("a", "killed"), ("b", "complete")] {
            try run(id, outcome)
            #expect(try changed().isEmpty && store.latestChanges(for: .staff, limit: 9).isEmpty)
        }
        try run("c", "complete")
        #expect(try changed() == ["c"])
        #expect(try store.latestChanges(for: .staff, limit: 9).map(\.id) == ["c"])
        try store.rebuildSearchIndex()
        #expect(try changed() == ["c"])
    }

    @Test func `An empty mirror has empty lists`() throws {
        let test = try TestStore()
        let page = try test.store.artworks(ArtworkQuery())
        #expect(page == ArtworkListing(items: [], next: nil, previous: nil, total: 0))
        #expect(try test.store.guide(ArtworkQuery()).facets.isEmpty)
        #expect(try test.store.guide(ArtworkQuery()).letters.isEmpty)
    }
}
