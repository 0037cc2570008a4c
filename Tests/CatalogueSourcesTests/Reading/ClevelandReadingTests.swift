import Catalogue
import Testing

@testable import CatalogueSources

@Suite struct ClevelandReadingTests {
    private let reader: SourceReader
    init() throws { reader = try SourceReader(builtIn: "cleveland") }

    private func read(_ text: String = "", with replacement: String = "") throws -> ReadObject {
        try #require(
            text.isEmpty || PublishedExamples.cleveland.contains(text), "The example has no \(text).")
        let page =
            text.isEmpty
            ? PublishedExamples.cleveland : PublishedExamples.cleveland.replacing(text, with: replacement)
        return try #require(try reader.onlyObject(on: page))
    }

    @Test func thePublishedExampleIsReadIntoExactlyThisObject() throws {
        let object = try read()
        let expected = try JSONValue(
            parsing: #"""
                {"id":"900001","slug":"a-made-up-bowl-900001","title":"A Made-up Bowl","date":"c. 1800","medium":"silver",
                 "inventory_id":"1900.1","credit_line":"Gift","category":"Silver","department":"Decorative Art","culture":"Netherlands",
                 "dimensions":{"cm":"Overall: 10 x 20 cm"},"height":10.0,"width":20.0,"metric":"cm",
                 "additional_information":"Has HTML.","exhibition_history":"A Show","image_rights":"CC0",
                 "website":"https://clevelandart.org/art/1900.1","updated_at":"2026-01-02T03:04:05.000Z",
                 "artists":[{"id":"501","name":"Ada Maker","role":"artist"}],
                 "images":[{"id":"https://openaccess-cdn.clevelandart.org/1900.1/1900.1_web.jpg","is_default":true,
                   "original_width":900,"original_height":600,"image_versions":["larger"],
                   "image_urls":{"larger":"https://openaccess-cdn.clevelandart.org/1900.1/1900.1_web.jpg"}}]}
                """#)
        #expect(JSONValue.object(object.json) == expected)
        #expect(
            object.artists == [
                [
                    "birthday": "1770", "deathday": "1830", "id": "501", "name": "Ada Maker",
                    "nationality": "Dutch",
                    "slug": "ada-maker-501",
                ]
            ])
        #expect(try Artwork(object.json).real("height") == 10)
    }

    @Test func aPageHasVersionsAndATotal() throws {
        let page = try reader.page(PublishedExamples.cleveland)
        #expect(page.total == 1)
        #expect(page.rows.map(\.version) == ["2026-01-02 03:04:05.000000"])
    }

    /// "`/artworks/{id or accession_number}` → `{"data":{…}}`".
    @Test func theSingleObjectIsTheSame() throws {
        var answer = try #require(try JSONValue(parsing: PublishedExamples.cleveland).objectValue)
        answer["data"] = answer["data"]?.arrayValue?.first
        #expect(try reader.object(answer.canonicalText, id: "900001") == .object(read()))
        // It can be requested by another id, but isn't that object.
        #expect(throws: SourceReadingError.self) { try reader.object(answer.canonicalText, id: "1900.1") }
    }

    /// "No nationality field: it is inside `creators[].description`."
    @Test(arguments: [
        ("Ada Maker (Dutch, 1770–1830)", "Ada Maker", "Dutch"), ("Ada Maker", "Ada Maker", nil),
        ("Ada (the Elder) Maker (Dutch, 1770–1830)", "Ada (the Elder) Maker", "Dutch"),
        ("Ada Maker (1770–1830)", "Ada Maker", nil),
        ("Meissen Factory (Germany, founded 1710)", "Meissen Factory", "Germany"),
    ]) func theNameAndTheNationalityAreInTheDescription(
        _ text: String, _ name: String, _ nationality: String?
    ) throws {
        let artist = try #require(try read("Ada Maker (Dutch, 1770–1830)", with: text).artists.first)
        #expect(artist["name"]?.stringValue == name)
        #expect(artist["nationality"]?.stringValue == nationality)
    }

    /// "`share_license_status` = `CC0` or `Copyrighted`; … check the field".
    @Test func picturesOfWorksUnderCopyrightAreNotFetched() throws {
        #expect(try read("\"CC0\"", with: "\"Copyrighted\"").json["images"] == nil)
    }

    /// "`alternate_images[]`; widths and file sizes are strings".
    @Test func otherPicturesFollow() throws {
        let object = try read(
            "\"alternate_images\":[]",
            with:
                "\"alternate_images\":[{\"annotation\":\"<b>Back</b>\",\"web\":{\"url\":\"https://openaccess-cdn.clevelandart.org/2.jpg\",\"width\":\"90\"}},null,{}]"
        )
        let images = try Artwork(object.json).images
        #expect(images.map(\.originalWidth) == [900, 90])
        #expect(images[1].caption == "Back")
    }

    @Test(arguments: [
        ("\"images\":{", "\"other\":{"),
        ("\"creators\":[{\"id\":501", "\"creators\":null,\"others\":[{\"id\":501"),
        ("\"dimensions\":{", "\"other\":{"), ("\"exhibitions\":{", "\"other\":{"),
        ("\"culture\":[\"Netherlands\"]", "\"culture\":null"),
    ])
    func whatIsMissingIsAbsent(_ text: String, _ replacement: String) throws {
        #expect(try read(text, with: replacement).json["title"] == "A Made-up Bowl")
    }

    @Test func theLocationIsMadeOfItsName() throws {
        let location = try read("\"current_location\":null", with: "\"current_location\":\"101A\"").location
        #expect(location?["name"] == "101A")
        #expect(location?["id"]?.stringValue == SourceSlug.id(forName: "101A"))
    }
}
