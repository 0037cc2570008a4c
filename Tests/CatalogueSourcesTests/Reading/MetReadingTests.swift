import Catalogue
import Testing

@testable import CatalogueSources

@Suite struct MetReadingTests {
    private let reader: SourceReader
    init() throws { reader = try SourceReader(builtIn: "met") }

    private func read(_ replacing: String = "", with replacement: String = "") throws -> ReadObject {
        try #require(
            replacing.isEmpty || PublishedExamples.met.contains(replacing), "The example has no \(replacing)."
        )
        let answer =
            replacing.isEmpty
            ? PublishedExamples.met : PublishedExamples.met.replacing(replacing, with: replacement)
        return try #require(try reader.object(answer, id: "900001").object)
    }

    @Test func thePublishedExampleIsReadIntoExactlyThisObject() throws {
        let object = try read()
        let expected = try JSONValue(
            parsing: #"""
                {"id":"900001","slug":"a-made-up-print-900001","title":"A Made-up Print","date":"ca. 1830","medium":"Etching",
                 "inventory_id":"00.1.1","credit_line":"Gift, 1900","category":"Prints","department":"Drawings",
                 "dimensions":{"in":"4 x 6 in. (10.2 x 15.2 cm)"},"height":10.2,"width":15.2,"metric":"cm",
                 "updated_at":"2026-01-02T04:00:00.123Z",
                 "artists":[{"id":"5001","name":"Ada Maker","role":"Artist"}],
                 "images":[{"id":"https://images.metmuseum.org/CRDImages/xx/original/A 1.jpg","is_default":true,"image_versions":["larger"],
                   "image_urls":{"larger":"https://images.metmuseum.org/CRDImages/xx/original/A%201.jpg"}}]}
                """#)
        #expect(JSONValue.object(object.json) == expected)
        #expect(
            object.artists == [
                [
                    "birthday": "1800", "deathday": "1850", "id": "5001", "name": "Ada Maker",
                    "nationality": "Dutch",
                    "slug": "ada-maker-5001", "sortable_id": "Maker, Ada",
                ]
            ])
        #expect(object.location == nil)
        #expect(object.members == nil)
        #expect(object.refusedPictures.isEmpty)
        let artwork = try Artwork(object.json)
        #expect(artwork.dimensionsIn == "4 x 6 in. (10.2 x 15.2 cm)")
        #expect(artwork.real("width") == 15.2)
    }

    @Test func theListIsReadWhole() throws {
        let page = try reader.page(#"{"total":3,"objectIDs":[1,2,900001]}"#)
        #expect(page.rows.map(\.id) == ["1", "2", "900001"])
        #expect(page.total == 3)
    }

    /// "`objectIDs` is `null`, not `[]`, when `total` is 0".
    @Test func anEmptyListIsNull() throws {
        let page = try reader.page(#"{"total":0,"objectIDs":null}"#)
        #expect(page.rows.isEmpty)
        #expect(page.skipped == 0)
        #expect(page.total == 0)
    }

    /// "the object answers 404 or `{"message":"Not a valid object"}`".
    @Test func anAbsentObject() throws {
        #expect(try reader.object(#"{"message":"ObjectID not found"}"#, id: "1", status: 404) == .absent)
        #expect(try reader.object(#"{"message":"Not a valid object"}"#, id: "1") == .absent)
    }

    /// "a WAF answers 403 text/html", "It also answers 200 with an HTML iframe".
    @Test(arguments: [403, 200, 404]) func aBlockIsNotAbsence(_ status: Int) {
        #expect(throws: SourceReadingError.self) {
            try reader.object("<html><iframe src=\"/_Incapsula_Resource\"></html>", id: "1", status: status)
        }
        #expect(throws: SourceReadingError.self) {
            try reader.page("<html><iframe src=\"/_Incapsula_Resource\"></html>")
        }
    }

    /// "Empty string when absent or not public domain", "Licence: `isPublicDomain`".
    @Test func picturesOfWorksUnderCopyrightAreNotFetched() throws {
        #expect(try read("\"isPublicDomain\":true", with: "\"isPublicDomain\":false").json["images"] == nil)
        #expect(
            try read("https://images.metmuseum.org/CRDImages/xx/original/A 1.jpg", with: "").json["images"]
                == nil)
    }

    /// "`additionalImages[]`", "URLs may hold spaces".
    @Test func additionalPicturesFollowThePrimaryOne() throws {
        let object = try read(
            "\"additionalImages\":[]",
            with:
                "\"additionalImages\":[\"https://images.metmuseum.org/B 2.jpg\",\"https://images.metmuseum.org/B 2.jpg\",\"\"]"
        )
        let images = try Artwork(object.json).images
        #expect(images.count == 2)
        #expect(images[1].json["image_urls"] == ["larger": "https://images.metmuseum.org/B%202.jpg"])
    }

    /// "missing is `""`; `constituents`, `tags`, `measurements` may be `null`".
    @Test func nullInPlaceOfAListIsAnEmptyList() throws {
        let text = PublishedExamples.met
        let start = try #require(text.firstRange(of: "\"constituents\":[")),
            end = try #require(text.firstRange(of: "}],\n \"department\""))
        let answer = text.replacingCharacters(
            start.lowerBound..<end.upperBound, "\"constituents\":null,\n \"department\""
        )
        .replacing("\"additionalImages\":[]", with: "\"additionalImages\":null")
        let object = try #require(try reader.object(answer, id: "900001").object)
        #expect(object.artists.isEmpty)
        #expect(object.json["artists"] == nil)
        let unmeasured = try read(
            #"[{"elementName":"Sheet","elementDescription":null,"elementMeasurements":{"Height":10.2,"Width":15.2}}]"#,
            with: "null")
        #expect(unmeasured.json["height"] == nil)
        #expect(unmeasured.json["metric"] == nil)
    }

    @Test func anArtistWithoutAnIDGetsOneFromTheName() throws {
        for id in ["0", "null"] {
            let object = try read("\"constituentID\":5001", with: "\"constituentID\":\(id)")
            #expect(object.artists.map { $0["id"]?.stringValue } == [SourceSlug.id(forName: "Ada Maker")])
        }
    }

    /// "`classification`, `objectName`".
    @Test func theNameOfTheObjectStandsForAMissingClassification() throws {
        #expect(
            try read("\"classification\":\"Prints\"", with: "\"classification\":\"\"").json["category"]
                == "Print")
    }

    /// "`GalleryNumber` capital G, non-empty = on view".
    @Test func theGalleryIsALocation() throws {
        let object = try read("\"GalleryNumber\":\"\"", with: "\"GalleryNumber\":\"742\"")
        #expect(object.location == ["id": "742", "name": "Gallery 742", "slug": "gallery-742-742"])
        #expect(object.json["location_id"] == "742")
    }

    @Test func aNewTimeAloneIsNoChange() throws {
        #expect(try read("2026-01-02T04:00:00.123Z", with: "2026-05-05T04:00:00Z").hash == read().hash)
        #expect(try read("Etching", with: "Engraving").hash != read().hash)
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, _ text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
