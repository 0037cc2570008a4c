import Catalogue
import Testing

@testable import MirrorSimulation

/// The comments quote the description of the museum's API that the imitation is written from.
@Suite struct SMKImitationTests {
    typealias Fixture = ImitationFixture

    static func numbers(_ page: JSONValue) -> [String] {
        page["items"]?.arrayValue?.compactMap { $0["object_number"]?.stringValue } ?? []
    }

    // "`/art/search/?keys=*&offset=0&rows=2000&sort=object_number&sort_type=asc&lang=en` (rows ≤ 2000)"
    @Test func aSearchListsEverythingInOrder() throws {
        let fixture = try Fixture(.smk, artworks: Fixture.artworks(2_005))
        let path = "/art/search/?keys=*&sort=object_number&sort_type=asc&lang=en&fields=object_number"
        let first = try fixture.json("\(path)&offset=0&rows=9999"),
            second = try fixture.json("\(path)&offset=2000&rows=3")
        // {"offset":0,"rows":1,"found":1,"items":[…
        #expect(first["offset"] == 0 && first["rows"] == 2_000 && first["found"] == 2_005)
        let all = (1...2_005).map { fixture.museum.id(ofArtwork: "\($0)") }.sorted()
        #expect(Self.numbers(first) == Array(all.prefix(2_000)))
        #expect(second["rows"] == 3 && Self.numbers(second) == Array(all[2_000..<2_003]))
        let descending = try Self.numbers(fixture.json("\(path)&sort_type=desc"))
        #expect(descending == Array(all.reversed().prefix(10)))
        #expect(fixture.request("/art/search/?keys=*&rows=some").status == 400)
        #expect(fixture.request("/art/search/?keys=*&sort=colour").status == 400)
    }

    // "Full records at many rows make the server drop the connection: name `fields`, or 250 rows."
    @Test func manyCompleteRecordsMakeTheServerDropTheConnection() throws {
        let fixture = try Fixture(.smk, artworks: Fixture.artworks(300))
        #expect(!fixture.request("/art/search/?keys=*&rows=250").isCutOff)
        #expect(fixture.request("/art/search/?keys=*&rows=251").isCutOff)
        #expect(!fixture.request("/art/search/?keys=*&rows=300&fields=object_number,modified").isCutOff)
    }

    // "`filters=[public_domain:true],[has_image:true]`"
    @Test(arguments: [
        ("%5Bpublic_domain:true%5D", 4), ("%5Bpublic_domain:false%5D", 1), ("[has_image:true]", 4),
        ("[public_domain:true],[has_image:true]", 3), ("[on_display:true]", 1),
    ]) func filtersSelectRecords(_ filters: String, _ count: Int) throws {
        let answer = try Fixture(.smk).json("/art/search/?keys=*&filters=\(filters)")
        #expect(Self.numbers(answer).count == count && answer["found"]?.numberValue?.intValue == count)
    }

    // "`range=[modified:{2026-01-01T00:00:00.000Z;*}]`"; "A thin list (`fields=object_number,modified`) is proven."
    @Test func aRangeOfModifiedFindsWhatChanged() throws {
        let fixture = try Fixture(.smk)
        var artwork = try #require(fixture.museum.catalogue.object(.artwork, "1"))
        artwork["title"] = "Changed"
        fixture.museum.apply([.put(.artwork, artwork)])
        let path = "/art/search/?keys=*&fields=object_number,modified&range="
        let range = "[modified:%7B2026-01-01T00%3A00%3A00.000Z%3B*%7D]"
        #expect(
            try fixture.json(path + range)["items"] == [
                ["object_number": "KMS1", "modified": "2026-02-01T00:00:00Z"]
            ])
        #expect(try fixture.json("\(path)[modified:%7B*%3B2026-01-01T00:00:00Z%7D]")["found"] == 4)
        #expect(
            try fixture.json("\(path)[production_dates_start:%7B1900-01-01T00:00:00.000Z;*%7D]")["found"] == 1
        )
        for broken in ["modified", "[modified:2026]", "[modified:%7Bnever;*%7D]", "[colour:%7B*;*%7D]"] {
            #expect(fixture.request(path + broken).status == 400)
        }
    }

    // "`/art/?object_number=XX%201&lang=en` → `items[0]`; numbers contain spaces: encode."
    @Test func anObjectHasTheNamesAndTypesOfTheMuseum() throws {
        let fixture = try Fixture(.smk)
        let object = try #require(fixture.json("/art/?object_number=KMS1&lang=en")["items"]?[0])
        let expected: [String: JSONValue] = [
            "id": "1_object", "object_number": "KMS1",
            "titles": [["title": "A Made-up Chair", "language": "en", "type": "museum"]],
            "production_date": [
                [
                    "start": "1885-01-01T00:00:00.000Z", "end": "1895-12-31T00:00:00.000Z",
                    "period": "ca. 1890",
                ]
            ],
            "techniques": ["Oak"], "object_names": [["name": "Chair"]], "collection": ["Furniture"],
            "current_location_name": "Room 1", "on_display": true, "public_domain": true,
            "rights": "https://creativecommons.org/share-your-work/public-domain/cc0/", "has_image": true,
            "image_width": 3000, "image_height": 2000,
            "frontend_url": "https://open.smk.dk/artwork/image/KMS1",
        ]
        for (name, value) in expected { #expect(object[name] == value, "\(name)") }
        #expect(
            object["production"]?[0] == [
                "creator": "Maker, Ada", "creator_forename": "Ada", "creator_surname": "Maker",
                "creator_date_of_birth": "1850-01-01T00:00:00.000Z",
                "creator_date_of_death": "1910-01-01T00:00:00.000Z", "creator_nationality": "Dutch",
                "creator_role": "Artist",
                "creator_lref": .string("\(MuseumNumber.of("p1"))_person"),
            ])
        #expect(
            object["dimensions"]?[0]
                == ["part": "netto", "type": "height", "unit": "centimeter", "value": "90.0"])
        let shows = object["exhibitions"]?.arrayValue ?? []
        #expect(
            shows.contains([
                "exhibition": "Chairs", "date_start": "2020-01-01T00:00:00.000Z",
                "date_end": "2020-02-01T00:00:00.000Z", "venue": "Chairs. Rotterdam, 2020.",
            ]))
        #expect(object["modified"]?.stringValue?.utf8.count == 20)
        #expect(try fixture.json("/art/?object_number=KMS%202")["items"]?[0]?["id"] == "2_object")
    }

    // "SMK answers 200 with no items"; "Deletion: none."
    @Test func anObjectThatDoesNotExistIsAnAnswerWithoutItems() throws {
        let fixture = try Fixture(.smk)
        fixture.museum.apply([.remove(.artwork, id: "1")])
        for number in ["KMS1", "KMS2", "KMS%201", "1", "KMS", "%F0%9F%8E%A8"] {
            let answer = try fixture.json("/art/?object_number=\(number)")
            #expect(answer["found"] == 0 && answer["items"] == [])
        }
        #expect(fixture.request("/art/").status == 400)
    }

    // "`image_iiif_id` + `/full/!2048,/0/default.jpg`, `image_native` without IIIF, `alternative_images[]`"
    @Test func picturesAreServedByIIIFOrAsFiles() throws {
        let fixture = try Fixture(.smk)
        let object = try #require(fixture.json("/art/?object_number=KMS1")["items"]?[0])
        let bases = [object["image_iiif_id"], object["alternative_images"]?[0]?["iiif_id"]]
            .compactMap { $0?.stringValue }
        #expect(Set(bases).count == 2)
        for base in bases {
            #expect(base.hasPrefix("https://iip.smk.dk/iiif/jp2/") && base.hasSuffix(".tif.jp2"))
            for size in ["!2048,", "!1600,1600", "max"] {
                #expect(fixture.fetch("\(base)/full/\(size)/0/default.jpg").status == 200)
            }
        }
        // Five is one of the numbers whose picture is a file.
        let native = try #require(fixture.json("/art/?object_number=KMS5")["items"]?[0])
        let url = try #require(native["image_native"]?.stringValue)
        #expect(native["image_iiif_id"] == nil && fixture.fetch(url).headers["Content-Type"] == "image/jpeg")
        let protected = try #require(fixture.json("/art/?object_number=KMS%202")["items"]?[0])
        #expect(protected["public_domain"] == false && protected["image_iiif_id"] != nil)
    }

    // "SMK: duplicate pictures; object number with a space."
    @Test func picturesAreNamedTwice() throws {
        let fixture = try Fixture(.smk, faults: [.duplicatePictures])
        let object = try #require(fixture.json("/art/?object_number=KMS1")["items"]?[0])
        let alternatives = object["alternative_images"]?.arrayValue?.compactMap { $0["iiif_id"]?.stringValue }
        #expect(alternatives?.count == 3 && Set(alternatives ?? []).count == 2)
        #expect(alternatives?.first == object["image_iiif_id"]?.stringValue)
    }

    @Test func everyObjectNumberHasASpace() throws {
        let fixture = try Fixture(.smk, faults: [.spacesInNumbers])
        let numbers = try Self.numbers(fixture.json("/art/search/?keys=*"))
        #expect(numbers.count == 5 && numbers.allSatisfy { $0.hasPrefix("KMS ") })
        #expect(numbers.contains(fixture.museum.id(ofArtwork: "b")))
        #expect(try fixture.json("/art/?object_number=KMS%201")["found"] == 1)
        #expect(try fixture.json("/art/?object_number=KMS1")["found"] == 0)
    }
}
