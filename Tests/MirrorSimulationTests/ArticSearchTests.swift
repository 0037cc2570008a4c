import Catalogue
import Testing

@testable import MirrorSimulation

/// The comments quote the description of the museum's API that the imitation is written from.
@Suite struct ArticSearchTests {
    typealias Fixture = ImitationFixture

    // "Documentation says 10,000 results; code says `max_resources_guest = 1000`:
    // `{"status":403,"error":"Invalid number of results","detail":"…"}`."
    @Test(arguments: [
        ("page=10&limit=100", 200), ("from=900&size=100", 200), ("page=11&limit=100", 403),
        ("from=901&size=100", 403), ("from=1000&size=1", 403), ("from=9223372036854775807&size=100", 403),
        ("page=9223372036854775807&limit=100", 403), ("limit=101", 403), ("from=-1", 403),
    ]) func theWindowHasAThousandResults(_ query: String, _ status: Int) throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(1_200))
        let answer = try fixture.json("/artworks/search?\(query)")
        if status == 200 {
            #expect(ArticImitationTests.ids(answer).count == 100)
            #expect(answer["pagination"]?["total"] == 1_200)
        } else {
            #expect(answer["status"] == 403)
            #expect(answer["error"] == (query == "limit=101" ? "Invalid limit" : "Invalid number of results"))
        }
    }

    // "Search pages carry `_score` and no `next_url`."
    @Test func resultsHaveAScoreAndNoNextPage() throws {
        let answer = try Fixture(.artic, artworks: Fixture.artworks(30))
            .json("/artworks/search?q=work&fields=id,title")
        #expect(answer["data"]?[0]?.keys == ["_score", "id", "title"])
        #expect(answer["pagination"]?["next_url"] == nil && answer["pagination"]?["total_pages"] == 3)
        #expect(try Fixture(.artic).json("/artworks/search?q=nothing-like-it")["data"] == [])
    }

    // "`query` = Elasticsearch DSL, `from`,`size`, or `params=` URL-encoded JSON"; "GET or POST";
    // "`query[range][updated_at][gte]` in search"
    @Test func aRangeOfUpdatedAtFindsWhatChanged() throws {
        let fixture = try Fixture(.artic)
        var artwork = try #require(fixture.museum.catalogue.object(.artwork, "5"))
        artwork["title"] = "Changed"
        fixture.museum.apply([.put(.artwork, artwork)])
        let params =
            #"{"query":{"range":{"updated_at":{"gte":"2026-01-31T00:00:00-06:00"}}},"fields":["id"],"size":5}"#
        let encoded = FormBody.encode([NameValue("params", params)])
        let answers = [
            try fixture.json("/artworks/search", method: "POST", body: params),
            try fixture.json("/artworks/search?\(encoded)"),
            try fixture.json(
                "/artworks/search?query%5Brange%5D%5Bupdated_at%5D%5Bgte%5D=2026-01-31&fields=id"),
        ]
        for answer in answers {
            #expect(answer["pagination"]?["total"] == 1)
            #expect(answer["data"]?[0] == ["_score": 1, "id": 5])
        }
        #expect(fixture.request("/artworks/search?query%5Bterm%5D%5Bid%5D=1").status == 400)
        #expect(fixture.request("/artworks/search?params=nonsense").status == 400)
        #expect(fixture.request("/artworks", method: "POST").status == 405)
    }

    // "`/artworks/search` (GET or POST; `q`, `query` = Elasticsearch DSL, …)"; "department_id":"PC-1","department_title":"…"
    @Test func `a department's id finds the artworks whose records have it`() throws {
        let fixture = try Fixture(.artic)
        let chair = try #require(fixture.json("/artworks/1?fields=department_id,department_title")["data"])
        let id = try #require(chair["department_id"]?.stringValue)
        #expect(chair["department_title"] == "Furniture" && id.hasPrefix("PC-"))
        let term = #"{"query":{"term":{"department_id":"\#(id)"}},"fields":["id"]}"#
        let value = #"{"query":{"term":{"department_id":{"value":"\#(id)"}}},"fields":["id"]}"#
        let answers = [
            try fixture.json("/artworks/search?query[term][department_id]=\(id)&fields=id"),
            try fixture.json("/artworks/search?\(FormBody.encode([NameValue("params", term)]))"),
            try fixture.json("/artworks/search", method: "POST", body: value),
        ]
        for answer in answers {
            #expect(answer["pagination"]?["total"] == 1)
            #expect(answer["data"] == [["_score": 1, "id": 1]])
        }
        let fine = ArticImitation.selection(ofDepartment: "Fine Arts") ?? ""
        let both = try fixture.json(
            "/artworks/search?query[term][department_id]=\(fine)&fields=id,department_title")
        #expect(Set(ArticImitationTests.ids(both)) == [2, MuseumNumber.of("b")])
        #expect(both["data"]?.arrayValue?.allSatisfy { $0["department_title"] == "Fine Arts" } == true)
    }

    @Test func `an unknown department has no artworks, and that is no error`() throws {
        let answer = try Fixture(.artic).json("/artworks/search?query[term][department_id]=PC-0&limit=100")
        #expect(answer["data"] == [])
        #expect(
            answer["pagination"] == [
                "total": 0, "limit": 100, "offset": 0, "total_pages": 0, "current_page": 1,
            ])
    }

    @Test func `the pages of a department have its total, and each of its artworks once`() throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(30, in: ["Prints", "Furniture"]))
        let id = ArticImitation.selection(ofDepartment: "Furniture") ?? ""
        let pages = try (1...5).map {
            try fixture.json("/artworks/search?query[term][department_id]=\(id)&page=\($0)&limit=4&fields=id")
        }
        #expect(pages.map { ArticImitationTests.ids($0).count } == [4, 4, 4, 3, 0])
        #expect(pages.flatMap(ArticImitationTests.ids).sorted() == Array(stride(from: 1, to: 30, by: 2)))
        for page in pages {
            #expect(page["pagination"]?["total"] == 15 && page["pagination"]?["total_pages"] == 4)
        }
    }

    // The museum's code passes `sort` to Elasticsearch, and adds no order of its own.
    @Test func `results are sorted by their update only if the request says so`() throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(40, in: ["Prints"]))
        func times(_ query: String) throws -> [String] {
            try fixture.json("/artworks/search?\(query)&limit=100&fields=updated_at")["data"]?.arrayValue?
                .compactMap { $0["updated_at"]?.stringValue } ?? []
        }
        let latestFirst = try times("sort[updated_at]=desc")
        #expect(latestFirst.count == 40 && latestFirst == latestFirst.sorted(by: >))
        #expect(try times("sort[updated_at][order]=asc") == latestFirst.reversed())
        let unsorted = try times("q=")
        #expect(unsorted.sorted(by: >) == latestFirst && unsorted != latestFirst)
        let body = #"{"sort":{"updated_at":"desc"},"fields":["id"],"size":1}"#
        let first = try fixture.json("/artworks/search", method: "POST", body: body)
        #expect(first["data"]?[0]?["_score"] == .null)
    }

    @Test(arguments: [
        "sort[title]=asc", "sort[updated_at]=newest", "sort[updated_at]=asc&sort[id]=asc",
        "query[term][artist_id]=1", "query[match][department_id]=PC-1", "query[range][updated_at][gte]=late",
        "query[term][department_id]=PC-1&query[range][updated_at][gte]=2026-01-31",
    ]) func `a query that isn't understood is refused`(_ query: String) throws {
        let fixture = try Fixture(.artic)
        #expect(fixture.request("/artworks/search?\(query)").status == 400)
    }

    // "AIC: a record bumped to page 1 mid-crawl"
    @Test func `a bumped record is missed by a crawl of a department`() throws {
        let fixture = try Fixture(
            .artic, artworks: Fixture.artworks(60, in: ["Prints", "Furniture"]), faults: [.bumpsARecord])
        let id = ArticImitation.selection(ofDepartment: "Prints") ?? ""
        let query = "query[term][department_id]=\(id)&sort[updated_at]=desc&limit=10&fields=id"
        let pages = try (1...3).map {
            ArticImitationTests.ids(try fixture.json("/artworks/search?\(query)&page=\($0)"))
        }
        #expect(pages.joined().count == 30 && Set(pages.joined()).count == 29)
        let missed = Set(stride(from: 2, through: 60, by: 2)).subtracting(pages.joined())
        let again = try fixture.json("/artworks/search?\(query)&page=1")
        #expect(ArticImitationTests.ids(again).first == missed.first)
    }
}
