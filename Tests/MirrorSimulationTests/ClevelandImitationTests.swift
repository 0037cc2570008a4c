import Catalogue
import Testing

@testable import MirrorSimulation

/// The comments quote the description of the museum's API that the imitation is written from.
@Suite struct ClevelandImitationTests {
    typealias Fixture = ImitationFixture

    static func ids(_ page: JSONValue) -> [Int] { ArticImitationTests.ids(page) }

    // "`/artworks/?limit=1000&skip=0&fields=…` (max and default 1000)"; "{"info":{"total":1,"parameters":{"limit":1,"skip":0}},…"
    @Test func aListHasUpToAThousandRecords() throws {
        let fixture = try Fixture(.cleveland, artworks: Fixture.artworks(1_100))
        let first = try fixture.json("/artworks/?fields=id")
        #expect(first["info"] == ["total": 1_100, "parameters": ["limit": 1_000, "skip": 0]])
        let second = try fixture.json("/artworks/?limit=5000&skip=1000&fields=id")
        #expect(second["info"]?["parameters"] == ["limit": 1_000, "skip": 1_000])
        #expect(Self.ids(first).count == 1_000 && Set(Self.ids(first) + Self.ids(second)).count == 1_100)
        #expect(first["data"]?[0]?.keys == ["id"])
        #expect(Self.ids(first) != Self.ids(first).sorted(), "No order is stated.")
        #expect(fixture.request("/artworks/?limit=many").status == 400)
    }

    // "flags `cc0`, `has_image=1`, `currently_on_view`"
    @Test func flagsSelectRecords() throws {
        let fixture = try Fixture(.cleveland)
        for (flags, count) in [
            ("cc0", 4), ("has_image=1", 4), ("currently_on_view", 1), ("cc0&has_image=1", 3),
            ("has_image=0", 1),
        ] {
            let page = try fixture.json("/artworks/?\(flags)")
            #expect(Self.ids(page).count == count && page["info"]?["total"]?.numberValue?.intValue == count)
        }
    }

    // The example of a record. "`/artworks/{id or accession_number}` → `{"data":{…}}`."
    @Test(arguments: ["1", "1900.1"]) func aRecordHasTheNamesAndTypesOfTheMuseum(_ id: String) throws {
        let record = try #require(Fixture(.cleveland).json("/artworks/\(id)")["data"])
        let expected: [String: JSONValue] = [
            "id": 1, "accession_number": "1900.1", "share_license_status": "CC0",
            "current_location": "Room 1", "title": "A Made-up Chair", "creation_date": "ca. 1890",
            "creation_date_earliest": 1885, "creation_date_latest": 1895, "culture": ["Dutch"],
            "technique": "Oak", "department": "Furniture", "type": "Chairs", "measurements": "90 × 40 cm",
            "creditline": "Gift, 1900", "on_loan": false, "url": "https://clevelandart.org/art/1900.1",
        ]
        for (name, value) in expected { #expect(record[name] == value, "\(name)") }
        // "`dimensions` are metres."
        #expect(record["dimensions"] == (try JSONValue(parsing: #"{"overall":{"height":0.9,"width":0.4}}"#)))
        // "No nationality field: it is inside `creators[].description`."
        #expect(
            record["creators"]?[0] == [
                "id": Fixture.number("p1"), "description": "Ada Maker (Dutch, 1850–1910)", "extent": .null,
                "qualifier": .null, "role": "Artist", "biography": .null, "birth_year": "1850",
                "death_year": "1910",
            ])
        // "exhibitions":{"current":[{"id":7,"title":"<em>A Show</em>","description":"…","opening_date":"2020-01-01T05:00:00"}]
        let shows = record["exhibitions"]?["current"]?.arrayValue ?? []
        let show = shows.first { $0["title"] == "<em>Chairs</em>" }
        #expect(shows.count == 2 && show?["opening_date"] == "2020-01-01T00:00:00")
        #expect(show?.keys == ["description", "id", "opening_date", "title"])
        // "records carry `updated_at` (`2026-01-02 03:04:05.000000`, no zone)"; "Has <em>HTML</em>."
        #expect(record["updated_at"]?.stringValue?.utf8.count == 26)
        #expect(record["description"]?.stringValue?.contains("<em>") == true)
    }

    // "`/exhibitions/` (limit ≤100, `venues[]`), `/creators/`."
    @Test func exhibitionsAndCreatorsAreListed() throws {
        let fixture = try Fixture(.cleveland)
        let shows = try fixture.json("/exhibitions/?limit=1000")
        #expect(shows["info"]?["parameters"]?["limit"] == 100 && Self.ids(shows).count == 2)
        let chairs = shows["data"]?.arrayValue?.first { $0["title"] == "<em>Chairs</em>" }
        #expect(chairs?["venues"] == [["name": "Chairs. Rotterdam, 2020."]])
        let creators = try fixture.json("/creators/")
        #expect(Self.ids(creators).count == 3)
        #expect(creators["data"]?.arrayValue?.contains { $0["biography"] == "A maker." } == true)
    }

    // "`images.web|print|full.url` … widths and file sizes are strings"; "Licence per record: `share_license_status` = `CC0` or
    // `Copyrighted`; re-check it, do not trust the filter"
    @Test func picturesHaveThreeSizesWithTextsAsNumbers() throws {
        let fixture = try Fixture(.cleveland)
        let record = try #require(fixture.json("/artworks/1")["data"])
        let web = try #require(record["images"]?["web"])
        #expect(web["width"] == "900" && web["height"] == "600")
        #expect(web["filesize"]?.stringValue.flatMap { Int($0) } != nil)
        #expect(record["images"]?.keys == ["annotation", "full", "print", "web"])
        #expect(record["alternate_images"]?.arrayValue?.count == 1)
        for size in ["web", "print"] {
            let url = try #require(record["images"]?[size]?["url"]?.stringValue)
            #expect(url.hasPrefix("https://openaccess-cdn.clevelandart.org/"))
            #expect(fixture.fetch(url).headers["Content-Type"] == "image/jpeg")
        }
        let protected = try #require(fixture.json("/artworks/2")["data"])
        #expect(protected["share_license_status"] == "Copyrighted")
        #expect(protected["images"]?["web"]?["url"] != nil)
        let bare = MuseumNumber.of("0004c321-a24e-4e3c-8d83-968b7adab357")
        #expect(try fixture.json("/artworks/\(bare)")["data"]?["images"] == .null)
    }

    // "Cleveland: `total` moves by one; order changes between pages; picture 404."
    @Test func theTotalMovesByOne() throws {
        let fixture = try Fixture(.cleveland, faults: [.totalMoves])
        let totals = try (1...4).map { _ in try fixture.json("/artworks/")["info"]?["total"] }
        #expect(totals == [5, 6, 5, 6])
    }

    @Test func theOrderChangesBetweenPagesSoThatACrawlMissesRecords() throws {
        let fixture = try Fixture(.cleveland, artworks: Fixture.artworks(60), faults: [.orderChanges])
        let pages = try (0..<6).map {
            Self.ids(try fixture.json("/artworks/?limit=10&skip=\($0 * 10)&fields=id"))
        }
        #expect(pages.joined().count == 60 && Set(pages.joined()).count < 60)
    }

    @Test func somePicturesAnswer404() throws {
        let fixture = try Fixture(.cleveland, artworks: Fixture.artworks(40), faults: [.missingPictures])
        let urls = try (1...40).compactMap {
            try fixture.json("/artworks/\($0)")["data"]?["images"]?["web"]?["url"]?.stringValue
        }
        #expect(urls.count == 40)
        let missing = urls.filter { fixture.fetch($0).status == 404 }
        #expect((1...20).contains(missing.count))
        fixture.museum.faults = []
        #expect(urls.allSatisfy { fixture.fetch($0).status == 200 })
    }

    @Test func aRemovedRecordAnswers404() throws {
        let fixture = try Fixture(.cleveland)
        fixture.museum.apply([.remove(.artwork, id: "1")])
        #expect(fixture.request("/artworks/1").status == 404)
        #expect(fixture.request("/artworks/1900.1").status == 404)
    }

    // "department":"Decorative Art"
    @Test func `a department selects the records that name it`() throws {
        let fixture = try Fixture(.cleveland)
        let furniture = try fixture.json("/artworks/?department=Furniture&fields=id,department")
        #expect(furniture["info"]?["total"] == 1)
        #expect(furniture["data"] == [["id": 1, "department": "Furniture"]])
        let fine = try fixture.json("/artworks/?department=Fine%20Arts&fields=id")
        #expect(Set(Self.ids(fine)) == [2, MuseumNumber.of("b")] && fine["info"]?["total"] == 2)
        #expect(try Self.ids(fixture.json("/artworks/?department=Fine%20Arts&cc0")) == [MuseumNumber.of("b")])
    }

    @Test func `an unknown department has no records, and that is no error`() throws {
        let answer = try Fixture(.cleveland).json("/artworks/?department=Submarines&limit=10")
        #expect(answer["data"] == [] && answer["info"]?["total"] == 0)
    }

    @Test func `the pages of a department have its total, and each of its records once`() throws {
        let fixture = try Fixture(
            .cleveland, artworks: Fixture.artworks(30, in: ["Prints", "Arms & Armour"]))
        let pages = try [0, 6, 12, 18].map {
            try fixture.json("/artworks/?department=Arms%20%26%20Armour&limit=6&skip=\($0)&fields=id")
        }
        #expect(pages.map { Self.ids($0).count } == [6, 6, 3, 0])
        #expect(pages.flatMap(Self.ids).sorted() == Array(stride(from: 1, to: 30, by: 2)))
        #expect(pages.allSatisfy { $0["info"]?["total"] == 15 })
    }
}
