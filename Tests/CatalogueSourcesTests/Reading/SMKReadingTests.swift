import Catalogue
import Testing

@testable import CatalogueSources

@Suite struct SMKReadingTests {
    private let reader: SourceReader
    init() throws { reader = try SourceReader(builtIn: "smk") }

    private func read(_ text: String = "", with replacement: String = "") throws -> ReadObject {
        try #require(text.isEmpty || PublishedExamples.smk.contains(text), "The example has no \(text).")
        let page =
            text.isEmpty ? PublishedExamples.smk : PublishedExamples.smk.replacing(text, with: replacement)
        return try #require(try reader.onlyObject(on: page))
    }

    @Test func thePublishedExampleIsReadIntoExactlyThisObject() throws {
        let object = try read()
        let location = SourceSlug.id(forName: "Room 1")
        let slug = SourceSlug.slug(title: "A Made-up Study", id: "XX 1")
        let expected = try JSONValue(
            parsing: #"""
                {"id":"XX 1","slug":"\#(slug)","title":"A Made-up Study","date":"1800","medium":"oil on canvas","inventory_id":"XX 1",
                 "category":"painting","department":"Old Masters","height":10.0,"metric":"cm","exhibition_history":"A Show",
                 "image_rights":"https://creativecommons.org/share-your-work/public-domain/cc0/",
                 "website":"https://open.smk.dk/artwork/image/XX1","location_id":"\#(location)","updated_at":"2026-01-02T03:04:05.000Z",
                 "artists":[{"id":"501_person","name":"Ada Maker","role":"artist"}],
                 "images":[{"id":"https://iip.smk.dk/iiif/jp2/x1.tif.jp2","is_default":true,"original_width":3000,"original_height":2000,
                   "image_versions":["square","medium","larger"],
                   "image_urls":{"larger":"https://iip.smk.dk/iiif/jp2/x1.tif.jp2/full/!1600,1600/0/default.jpg",
                     "medium":"https://iip.smk.dk/iiif/jp2/x1.tif.jp2/full/!843,843/0/default.jpg",
                     "square":"https://iip.smk.dk/iiif/jp2/x1.tif.jp2/full/!400,400/0/default.jpg"}}]}
                """#)
        #expect(JSONValue.object(object.json) == expected)
        #expect(slug.hasPrefix("a-made-up-study-xx-1-"))
        let artist = try #require(object.artists.first)
        #expect(
            artist == [
                "birthday": "1770", "deathday": "1830", "first": "Ada", "id": "501_person", "last": "Maker",
                "name": "Ada Maker", "nationality": "Dutch", "slug": artist["slug"] ?? .null,
                "sortable_id": "Maker, Ada",
            ])
        #expect(object.location?["name"] == "Room 1")
    }

    @Test func aPageHasVersionsAndATotal() throws {
        let page = try reader.page(PublishedExamples.smk)
        #expect(page.total == 1)
        #expect(page.rows.map(\.id) == ["XX 1"])
        #expect(page.rows[0].version == "2026-01-02T03:04:05Z")
        // "A thin list (`fields=object_number,modified`) is proven".
        let thin = try reader.page(
            #"{"found":1,"items":[{"object_number":"XX 1","modified":"2026-01-02T03:04:05Z"}]}"#, thin: true)
        #expect(thin.rows == [SourceRow(id: "XX 1", version: "2026-01-02T03:04:05Z")])
    }

    /// "`/art/?object_number=XX%201&lang=en` → `items[0]`"; an absent object is a 200 without items.
    @Test func theSingleObjectIsTheFirstItem() throws {
        #expect(try reader.object(PublishedExamples.smk, id: "XX 1") == .object(read()))
        #expect(try reader.object(#"{"offset":0,"rows":10,"found":0,"items":[]}"#, id: "XX 1") == .absent)
        for answer in [#"{"items":[]}"#, #"{"found":1,"items":[]}"#, "<html>"] {
            #expect(throws: SourceReadingError.self) { try reader.object(answer, id: "XX 1") }
        }
    }

    /// "Licence: `public_domain` and `rights` (URL)".
    @Test(arguments: [
        ("\"public_domain\":true", "\"public_domain\":false"),
        (
            "https://creativecommons.org/share-your-work/public-domain/cc0/",
            "https://creativecommons.org/licenses/by/4.0/"
        ),
        ("https://creativecommons.org/share-your-work/public-domain/cc0/", ""),
    ]) func picturesThatAreNotFreeAreNotFetched(_ text: String, _ replacement: String) throws {
        #expect(try read(text, with: replacement).json["images"] == nil)
    }

    /// "`image_native` without IIIF, `alternative_images[]` (duplicates: #875)".
    @Test func otherPicturesAreReadOnce() throws {
        let native = try read(
            "\"image_iiif_id\":\"https://iip.smk.dk/iiif/jp2/x1.tif.jp2\"",
            with: "\"image_native\":\"https://iip.smk.dk/native/x1.jpg\"")
        #expect(
            try Artwork(native.json).images.map { $0.json["image_urls"] } == [
                ["larger": "https://iip.smk.dk/native/x1.jpg"]
            ])
        let object = try read(
            "\"has_image\":true",
            with:
                "\"alternative_images\":[{\"iiif_id\":\"https://iip.smk.dk/iiif/jp2/x1.tif.jp2\"},{\"iiif_id\":\"https://iip.smk.dk/iiif/jp2/x2\",\"width\":10},{\"iiif_id\":\"https://iip.smk.dk/iiif/jp2/x2\",\"native\":\"https://iip.smk.dk/native/x2.jpg\"},{\"iiif_id\":null,\"native\":\"https://iip.smk.dk/native/x3.jpg\"},{}]"
        )
        #expect(
            try Artwork(object.json).images.map(\.id) == [
                "https://iip.smk.dk/iiif/jp2/x1.tif.jp2", "https://iip.smk.dk/iiif/jp2/x2",
                "https://iip.smk.dk/native/x3.jpg",
            ])
    }

    /// "titles[].title by language"; the source's language is English.
    @Test func theTitleIsTheEnglishOne() throws {
        let object = try read(
            "\"titles\":[{\"title\":\"A Made-up Study\",\"language\":\"en\",\"type\":\"museum\"}]",
            with:
                "\"titles\":[{\"title\":\"Et studie\",\"language\":\"da\"},{\"title\":\"A Study\",\"language\":\"en\"}]"
        )
        #expect(object.json["title"] == "A Study")
    }

    @Test(arguments: [
        "titles", "production", "production_date", "techniques", "materials", "dimensions", "object_names",
        "collection", "exhibitions", "current_location_name",
    ])
    func nullInPlaceOfAListIsAbsent(_ field: String) throws {
        var answer = try #require(try JSONValue(parsing: PublishedExamples.smk).objectValue)
        var item = try #require(answer["items"]?.arrayValue?.first?.objectValue)
        for value in [JSONValue.null, [], ""] {
            item[field] = value
            answer["items"] = [.object(item)]
            #expect(
                try reader.onlyObject(on: answer.canonicalText)?.json["inventory_id"] == "XX 1",
                "\(field): \(value)")
        }
    }
}
