import Catalogue
import Testing

@testable import MirrorSimulation

@Suite struct LighthouseImitationTests {
    typealias Fixture = ImitationFixture

    @Test func worksAreListedByOffset() throws {
        let fixture = try Fixture(.lighthouse, artworks: Fixture.artworks(70))
        let first = try fixture.json("/works?start=0&count=50"),
            second = try fixture.json("/works?start=50&count=50")
        func refs(_ page: JSONValue) -> [String] {
            page["works"]?.arrayValue?.compactMap { $0["ref"]?.stringValue } ?? []
        }
        #expect(first["count_all"] == 70)
        #expect(refs(first) + refs(second) == (1...70).map { "LH-\($0)" })
        #expect(try refs(fixture.json("/works")).count == 20)
        #expect(fixture.request("/works?count=51").status == 400)
    }

    @Test func aWorkHasItsPeculiarities() throws {
        let fixture = try Fixture(.lighthouse)
        let work = try #require(fixture.json("/works/LH-1")["work"])
        let expected: [String: JSONValue] = [
            "ref": "LH-1", "name": "A Made-up Chair", "made": "ca. 1890", "stuff": "Oak",
            "size": "90 × 40 cm", "sort": "Chairs", "given": "Gift, 1900", "inventory": "1900.1",
            "room": "Room 1", "about": "<p>The maker &amp; her <heirs></p>",
        ]
        for (name, value) in expected { #expect(work[name] == value, "\(name)") }
        #expect(
            work["hands"]?[0] == [
                "ref": .string("P-\(MuseumNumber.of("p1"))"), "who": "Ada Maker", "did": "Artist",
                "from": "Dutch", "lived": "1850–1910",
            ])
        #expect(work["pictures"]?[0]?["licence"] == "free to use (CC0)")
        #expect(work["pictures"]?[0]?["wide"] == "3000 px")
        #expect(
            try fixture.json("/works/LH-2")["work"]?["pictures"]?[0]?["licence"] == "all rights reserved")
        let file = try #require(work["pictures"]?[0]?["file"]?.stringValue)
        #expect(fixture.fetch(file).headers["Content-Type"] == "image/jpeg")
        var artwork = try #require(fixture.museum.catalogue.object(.artwork, "1"))
        artwork["title"] = "Changed"
        fixture.clock.advance(by: 3_723)
        fixture.museum.apply([.put(.artwork, artwork)])
        #expect(try fixture.json("/works/LH-1")["work"]?["touched"] == "01.02.2026 01:02:03")
        #expect(try fixture.json("/works/LH-99") == ["fault": "no such work"])
    }
}
