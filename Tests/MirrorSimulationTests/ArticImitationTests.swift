import Catalogue
import Crypto
import Testing

@testable import MirrorSimulation

/// The comments quote the description of the museum's API that the imitation is written from.
@Suite struct ArticImitationTests {
    typealias Fixture = ImitationFixture

    static func ids(_ page: JSONValue) -> [Int] {
        page["data"]?.arrayValue?.compactMap { $0["id"]?.numberValue?.intValue } ?? []
    }

    // "limit default 12, max 100; more → 403 "Invalid limit""
    @Test func aPageHasTwelveRecordsAndAtMostAHundred() throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(130))
        let page = try fixture.json("/artworks")
        #expect(Self.ids(page).count == 12)
        // "pagination":{"total":2,"limit":1,"offset":0,"total_pages":2,"current_page":1,"next_url":"…"}
        #expect(
            page["pagination"] == [
                "total": 130, "limit": 12, "offset": 0, "total_pages": 11, "current_page": 1,
                "next_url": "https://api.artic.edu/api/v1/artworks?page=2&limit=12",
            ])
        let last = try fixture.json("/artworks?limit=100&page=2&fields=id")
        #expect(Self.ids(last).count == 30 && last["pagination"]?["next_url"] == nil)
        #expect(last["data"]?[0]?.keys == ["id"])
        let refused = fixture.request("/artworks?limit=101")
        #expect(refused.status == 403)
        // "Errors: 404 `{"status":404,"error":"Not found","detail":"…"}`, same shape for 400/403."
        let error = try fixture.json("/artworks?limit=101")
        #expect(error["error"] == "Invalid limit" && error["status"] == 403)
        #expect(error.keys == ["detail", "error", "status"])
        #expect(fixture.request("/artworks?page=0").status == 400)
        #expect(try Self.ids(fixture.json("/artworks?page=99999999999999999&limit=100")) == [])
    }

    // "`?ids=1,2,…` up to 100 (more → 403 "Invalid number of ids")."
    @Test func upToAHundredIdsAreListed() throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(130))
        let list = (1...100).map(String.init).joined(separator: ",")
        #expect(try Set(Self.ids(fixture.json("/artworks?ids=\(list)&limit=100"))) == Set(1...100))
        let refused = try fixture.json("/artworks?ids=\(list),101")
        #expect(refused["status"] == 403 && refused["error"] == "Invalid number of ids")
        #expect(try Self.ids(fixture.json("/artworks?ids=7,999999")) == [7])
    }

    // The example of a record, with its names and types. "`include=artist_pivots`"
    @Test func aRecordHasTheNamesAndTypesOfTheMuseum() throws {
        let fixture = try Fixture(.artic)
        let record = try #require(fixture.json("/artworks/1?include=artist_pivots")["data"])
        let expected: [String: JSONValue] = [
            "id": 1, "api_model": "artworks", "title": "A Made-up Chair", "main_reference_number": "1900.1",
            "date_start": 1885, "date_end": 1895, "date_display": "ca. 1890", "place_of_origin": "Dutch",
            "artist_display": "Ada Maker\nDutch, 1850–1910\nThe Workshop",
            "artist_id": Fixture.number("p1"), "artist_title": "Ada Maker",
            "artist_ids": [Fixture.number("p1"), Fixture.number("p2")], "dimensions": "90 × 40 cm",
            "dimensions_detail": [
                ["height": 90, "width": 40, "depth": .null, "diameter": .null, "clarification": .null]
            ],
            "medium_display": "Oak", "credit_line": "Gift, 1900", "is_public_domain": true,
            "is_on_view": true, "gallery_id": Fixture.number("room-1"), "gallery_title": "Room 1",
            "department_title": "Furniture", "classification_title": "Chairs",
            "artwork_type_title": "Chair", "fiscal_year_deaccession": .null,
            // "`description` is HTML"
            "description": "<p>The maker &amp; her &lt;heirs></p>",
        ]
        for (name, value) in expected { #expect(record[name] == value, "\(name)") }
        #expect(
            record["artist_pivots"]?[0] == [
                "artist_id": Fixture.number("p1"), "artist_title": "Ada Maker", "role_title": "Artist",
                "role_id": Fixture.number("Artist"), "is_preferred": true,
            ])
        #expect(record["updated_at"]?.stringValue?.hasSuffix("-06:00") == true)
        #expect(try fixture.json("/artworks/1")["data"]?["artist_pivots"] == nil)
        // "Missing is `null`, never `""`."
        let bare = try fixture.json("/artworks/\(MuseumNumber.of("0004c321-a24e-4e3c-8d83-968b7adab357"))")
        for name in ["title", "date_display", "artist_id", "artist_display", "image_id", "description"] {
            #expect(bare["data"]?[name] == .null, "\(name)")
        }
        #expect(bare["config"]?["iiif_url"] == "https://www.artic.edu/iiif/2")
        #expect(bare["info"]?.keys == ["license_links", "license_text", "version"])
    }

    // "Agent: `title, sort_title, birth_date, death_date, description, ulan_id` (years as integers; no nationality).
    // Exhibition: `title, status, aic_start_at, aic_end_at, gallery_id, artwork_ids, artist_ids, image_id`."
    @Test func agentsExhibitionsAndGalleriesAreListed() throws {
        let fixture = try Fixture(.artic)
        let ada = try #require(fixture.json("/agents/\(MuseumNumber.of("p1"))")["data"])
        #expect(ada["title"] == "Ada Maker" && ada["sort_title"] == "Maker, Ada")
        #expect(ada["birth_date"] == 1850 && ada["death_date"] == 1910 && ada["ulan_id"] == "500000001")
        #expect(ada["nationality"] == nil)
        let show = try #require(fixture.json("/exhibitions/\(MuseumNumber.of("s1"))")["data"])
        #expect(show["title"] == "Chairs" && show["aic_start_at"] == "2020-01-01T00:00:00-06:00")
        #expect(show["artwork_ids"] == [1, 5] && show["gallery_id"] == Fixture.number("room-1"))
        #expect(show["artist_ids"] == [Fixture.number("p1"), Fixture.number("p3")])
        #expect(show["image_id"]?.stringValue != nil)
        for (path, count) in [("agents", 3), ("exhibitions", 2), ("galleries", 2)] {
            #expect(try Self.ids(fixture.json("/\(path)?limit=100")).count == count)
        }
        #expect(fixture.request("/places-of-no-kind").status == 404)
    }

    // "Order: newest `updated_at` first: pages slide while one crawls; ties unordered."
    @Test func whatChangedLastComesFirst() throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(30))
        var artwork = try #require(fixture.museum.catalogue.object(.artwork, "7"))
        artwork["title"] = "Changed"
        fixture.museum.apply([.put(.artwork, artwork)])
        let page = try fixture.json("/artworks?limit=30&fields=id,updated_at")
        #expect(Self.ids(page).first == 7)
        let times = page["data"]?.arrayValue?.compactMap { $0["updated_at"]?.stringValue } ?? []
        #expect(times == times.sorted(by: >))
        #expect(page["data"]?[0]?["updated_at"] == "2026-01-31T18:00:00-06:00")
    }

    // "ETag: strong MD5 of the body, 304 only on an exact match; a `W/` prefix added by a CDN would never match."
    @Test func theETagIsTheMD5OfTheBodyAndMustMatchExactly() throws {
        let fixture = try Fixture(.artic)
        let answer = fixture.request("/artworks/1")
        let etag = try #require(answer.headers["ETag"])
        let digest = Insecure.MD5.hash(data: answer.bytes).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(etag == "\"\(digest.joined())\"")
        let unchanged = fixture.request("/artworks/1", headers: ["if-none-match": etag])
        #expect(unchanged.status == 304 && unchanged.bytes.isEmpty)
        for other in ["W/\(etag)", "*", "\(etag), \"other\""] {
            #expect(fixture.request("/artworks/1", headers: ["if-none-match": other]).status == 200)
        }
        fixture.museum.faults = [.weakValidators]
        let weak = try #require(fixture.request("/artworks/1").headers["ETag"])
        #expect(weak == "W/\(etag)")
        #expect(fixture.request("/artworks/1", headers: ["if-none-match": weak]).status == 200)
    }

    // "IIIF 2 `{config.iiif_url}/{image_id}/full/843,/0/default.jpg` (also 200, 400, 600; 1686 public domain only). … Others in
    // `alt_image_ids`."
    @Test func picturesAreServedInTheirSizes() throws {
        let fixture = try Fixture(.artic)
        let record = try #require(fixture.json("/artworks/1")["data"])
        let images = ([record["image_id"]] + (record["alt_image_ids"]?.arrayValue ?? []))
            .compactMap { $0?.stringValue }
        #expect(Set(images).count == 2)
        func status(_ image: String, _ size: String) -> Int {
            fixture.fetch("https://www.artic.edu/iiif/2/\(image)/full/\(size)/0/default.jpg").status
        }
        for image in images {
            for size in ["200,", "400,", "600,", "843,", "1686,", "!1600,1600"] {
                #expect(status(image, size) == 200)
            }
        }
        let protected = try #require(fixture.json("/artworks/2")["data"]?["image_id"]?.stringValue)
        #expect(status(protected, "843,") == 200 && status(protected, "1686,") == 403)
        #expect(status("00000000-0000-0000-0000-000000000001", "843,") == 404)
        #expect(status(images[0], "x") == 404)
    }

    // "The 403s users report are images: Cloudflare's managed challenge on `www.artic.edu/iiif` (`cf-mitigated: challenge`,
    // HTML)"; "`image_id` may be present and 404"
    @Test func picturesAreChallengedOrMissing() throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(40), faults: [.challengesPictures])
        let images = try (1...40).compactMap {
            try fixture.json("/artworks/\($0)")["data"]?["image_id"]?.stringValue
        }.map { "https://www.artic.edu/iiif/2/\($0)/full/843,/0/default.jpg" }
        let challenge = fixture.fetch(images[0])
        #expect(challenge.status == 403 && challenge.headers["cf-mitigated"] == "challenge")
        #expect(challenge.headers["Content-Type"]?.hasPrefix("text/html") == true)
        #expect(fixture.request("/artworks/1").status == 200)
        fixture.museum.faults = [.missingPictures]
        let missing = images.filter { fixture.fetch($0).status == 404 }
        #expect((1...20).contains(missing.count))
    }

    // "AIC: a record bumped to page 1 mid-crawl"
    @Test func aBumpedRecordIsMissedByACrawlAndFoundOnPageOne() throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(50), faults: [.bumpsARecord])
        let pages = try (1...5).map { Self.ids(try fixture.json("/artworks?limit=10&page=\($0)")) }
        let read = Set(pages.joined())
        #expect(pages.joined().count == 50 && read.count == 49)
        let missed = try #require(Set(1...50).subtracting(read).first)
        let first = try fixture.json("/artworks?limit=10&page=1")
        #expect(Self.ids(first).first == missed)
        // "`updated_at` and `timestamp` are the aggregator's clock …; `source_updated_at` is the museum's."
        #expect(first["data"]?[0]?["updated_at"] == "2026-01-31T18:00:00-06:00")
        #expect(first["data"]?[0]?["source_updated_at"]?.stringValue?.hasPrefix("202") == true)
        #expect(first["data"]?[0]?["source_updated_at"] != first["data"]?[0]?["updated_at"])
    }

    // "Deletion: none; 404."
    @Test func aRemovedRecordAnswers404() throws {
        let fixture = try Fixture(.artic)
        fixture.museum.apply([.remove(.artwork, id: "1")])
        #expect(fixture.request("/artworks/1").status == 404)
        #expect(try fixture.json("/artworks/1")["error"] == "Not found")
        #expect(try fixture.json("/artworks")["pagination"]?["total"] == 4)
    }
}
