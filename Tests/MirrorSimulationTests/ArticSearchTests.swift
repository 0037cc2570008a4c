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
}
