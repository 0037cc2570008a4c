import Catalogue
import Testing

@testable import CatalogueSources

@Suite struct ArticReadingTests {
    private let reader: SourceReader
    init() throws { reader = try SourceReader(builtIn: "artic") }

    /// The answer to the request of one object: `data` is an object, and not a list.
    private static func single(_ page: String) throws -> String {
        var answer = try #require(try JSONValue(parsing: page).objectValue)
        answer["data"] = answer["data"]?.arrayValue?.first
        return answer.canonicalText
    }

    private func read(_ text: String = "", with replacement: String = "") throws -> ReadObject {
        try #require(text.isEmpty || PublishedExamples.artic.contains(text), "The example has no \(text).")
        let page =
            text.isEmpty
            ? PublishedExamples.artic : PublishedExamples.artic.replacing(text, with: replacement)
        return try #require(try reader.onlyObject(on: page))
    }

    @Test func thePublishedExampleIsReadIntoExactlyThisObject() throws {
        let object = try read()
        let expected = try JSONValue(
            parsing: #"""
                {"id":"900001","slug":"a-made-up-chair-900001","title":"A Made-up Chair","date":"1890","medium":"Oak",
                 "inventory_id":"1900.1","credit_line":"Gift","category":"chair","dimensions":{"cm":"90 × 40 cm"},
                 "height":90,"width":40,"metric":"cm","department":"…","updated_at":"2026-01-02T09:04:05.000Z",
                 "artists":[{"id":"501","name":"Ada Maker","role":"Artist"}],
                 "images":[{"id":"00000000-0000-0000-0000-000000000001","is_default":true,"caption":"…",
                   "original_width":3000,"original_height":2000,"image_versions":["square","medium","larger"],
                   "image_urls":{
                     "larger":"https://www.artic.edu/iiif/2/00000000-0000-0000-0000-000000000001/full/!1600,1600/0/default.jpg",
                     "medium":"https://www.artic.edu/iiif/2/00000000-0000-0000-0000-000000000001/full/!843,843/0/default.jpg",
                     "square":"https://www.artic.edu/iiif/2/00000000-0000-0000-0000-000000000001/full/!400,400/0/default.jpg"}}]}
                """#)
        #expect(JSONValue.object(object.json) == expected)
        #expect(object.artists == [["id": "501", "name": "Ada Maker", "slug": "ada-maker-501"]])
    }

    @Test func aPageHasVersionsTimesTotalAndPages() throws {
        let page = try reader.page(PublishedExamples.artic)
        #expect(page.total == 2)
        #expect(page.pages == 2)
        #expect(page.rows.map(\.id) == ["900001"])
        // The version is the museum's time, the order is by the API's.
        #expect(page.rows[0].version == "2026-01-02T03:04:05-06:00")
        #expect(page.rows[0].changed == "2026-01-03T09:04:05.000Z")
        let thin = try reader.page(
            #"{"pagination":{"total":1,"total_pages":1},"data":[{"id":1,"source_updated_at":null,"updated_at":"2026-01-03T03:04:05-06:00"}]}"#,
            thin: true)
        #expect(
            thin.rows == [
                SourceRow(id: "1", version: "2026-01-03T03:04:05-06:00", changed: "2026-01-03T09:04:05.000Z")
            ])
    }

    @Test func listObjectAndBatchGiveTheSameObject() throws {
        let listed = try read()
        #expect(try reader.object(Self.single(PublishedExamples.artic), id: "900001") == .object(listed))
        let batch = try reader.objects(
            Array(PublishedExamples.artic.utf8), ids: ["900001", "2"], of: .artwork)
        // A batch states versions, too.
        var versioned = listed
        versioned.version = "2026-01-02T03:04:05-06:00"
        #expect(batch == [ExactText("900001"): .object(versioned)])
    }

    /// "404 `{"status":404,"error":"Not found","detail":"…"}`, same shape for 400/403".
    @Test func onlyNotFoundIsAbsence() throws {
        #expect(
            try reader.object(#"{"status":404,"error":"Not found","detail":"…"}"#, id: "1", status: 404)
                == .absent)
        for status in [400, 403, 200] {
            #expect(throws: SourceReadingError.self) {
                try reader.object(
                    #"{"status":403,"error":"Invalid limit","detail":"…"}"#, id: "1", status: status)
            }
        }
        #expect(throws: SourceReadingError.self) {
            try reader.page(#"{"status":403,"error":"Invalid number of results","detail":"…"}"#)
        }
    }

    /// "Licence: `is_public_domain`".
    @Test(arguments: ["false", "null"]) func picturesOfWorksUnderCopyrightAreNotFetched(_ value: String)
        throws
    {
        #expect(
            try read("\"is_public_domain\":true", with: "\"is_public_domain\":\(value)").json["images"] == nil
        )
    }

    /// "Others in `alt_image_ids`"; missing is `null`.
    @Test func otherPicturesFollow() throws {
        let object = try read(
            "\"alt_image_ids\":[]", with: "\"alt_image_ids\":[\"b\",\"00000000-0000-0000-0000-000000000001\"]"
        )
        #expect(try Artwork(object.json).images.map(\.id) == ["00000000-0000-0000-0000-000000000001", "b"])
        for (field, value) in [
            ("\"alt_image_ids\":[]", "\"alt_image_ids\":null"),
            ("\"image_id\":\"00000000-0000-0000-0000-000000000001\"", "\"image_id\":null"),
        ] {
            #expect(
                try Artwork(read(field, with: value).json).images.count == (value.contains("alt") ? 1 : 0))
        }
    }

    /// "Search pages carry `_score` and no `next_url`", and no `artist_pivots`.
    @Test func aResultOfTheSearchHasItsArtistWithoutPivots() throws {
        let object = try read(
            #""artist_pivots":[{"artist_id":501,"artist_title":"Ada Maker","role_id":219,"role_title":"Artist","is_preferred":true}]"#,
            with: "\"_score\":1.5")
        #expect(object.json["artists"] == [["id": "501", "name": "Ada Maker"]])
    }

    @Test func agentsAreArtists() throws {
        let object = try reader.onlyObject(
            on:
                #"{"pagination":{"total":1,"total_pages":1},"data":[{"id":501,"title":"Ada Maker","sort_title":"Maker, Ada","birth_date":1850,"death_date":null,"description":null,"ulan_id":"500","source_updated_at":null,"updated_at":"2026-01-03T03:04:05-06:00"}]}"#,
            of: .artist)
        let json = try #require(object?.json)
        #expect(
            json == [
                "birthday": "1850", "id": "501", "name": "Ada Maker", "slug": "ada-maker-501",
                "sortable_id": "Maker, Ada",
                "ulan_id": "500", "updated_at": "2026-01-03T09:04:05.000Z",
            ])
        #expect(try Artist(json).birthday == "1850")
    }

    @Test func exhibitionsAreShowsWithMembers() throws {
        let object = try #require(
            try reader.onlyObject(
                on:
                    #"{"pagination":{"total":1,"total_pages":1},"data":[{"id":7,"title":"A Show","status":"Closed","aic_start_at":"2020-01-01T00:00:00-06:00","aic_end_at":"2020-02-01T00:00:00-06:00","gallery_id":3,"gallery_title":"Gallery 3","artwork_ids":[900001,900002],"artist_ids":[501],"image_id":null,"updated_at":"2026-01-03T03:04:05-06:00"}]}"#,
                of: .show))
        #expect(
            object.json == [
                "artists": [["id": "501"]], "end_at": "2020-02-01T06:00:00.000Z", "id": "7",
                "location_id": "3",
                "name": "A Show", "slug": "a-show-7", "start_at": "2020-01-01T06:00:00.000Z",
                "status": "Closed",
                "updated_at": "2026-01-03T09:04:05.000Z",
            ])
        #expect(object.members == ["900001", "900002"])
        #expect(object.location == ["id": "3", "name": "Gallery 3", "slug": "gallery-3-3"])
        #expect(try Show(object.json).locationID == "3")
    }

    @Test func galleriesAreLocations() throws {
        let object = try #require(
            try reader.onlyObject(
                on:
                    #"{"pagination":{"total":1,"total_pages":1},"data":[{"id":3,"title":"Gallery 3","number":"3","floor":"1","latitude":41.5,"longitude":-87.6,"updated_at":"2026-01-03T03:04:05-06:00"}]}"#,
                of: .location))
        let location = try Location(object.json)
        #expect(location.name == "Gallery 3")
        #expect(location.latitude == 41.5)
        #expect(location.longitude == -87.6)
        #expect(location.slug == "gallery-3-3")
    }
}
