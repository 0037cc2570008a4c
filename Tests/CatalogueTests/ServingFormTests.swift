import Catalogue
import Testing

@Suite struct ServingFormTests {
    private typealias Form = (JSONObject) -> JSONObject?

    private static func form(_ kind: String) -> Form {
        switch kind {
        case "partner": ServingForm.partner
        case "artwork": ServingForm.artwork
        case "show": ServingForm.show
        case "picture": { ServingForm.showImage($0, show: "s/1") }
        case "show document": { ServingForm.document($0, partner: "p", owner: Owner(.show, "s/1")) }
        default: { ServingForm.document($0, partner: "p", owner: Owner(.artist, "a")) }
        }
    }

    @Test(
        arguments: [
            ("partner", #"{"id":"p","partner_flags":{"a":1},"name":"N"}"#, #"{"id":"p","name":"N"}"#),
            ("partner", #"{"id":"p","name":"N"}"#, nil),
            (
                "artwork", #"{"id":"x","artists":[{"id":"a","name":"A"},"b",{},null,{"id":7}]}"#,
                #"{"id":"x","artists":[{"id":"a"},{"id":"b"},{"id":"7"}]}"#
            ),
            (
                "artwork", #"{"id":"x","artist":{"id":"a","name":"A"},"artists":null}"#,
                #"{"id":"x","artist":{"id":"a"},"artists":null}"#
            ),
            (
                "artwork", #"{"id":"x","artists":[{"id":"a"}],"artist":{"id":"a"},"images":[],"price":1.50}"#,
                nil
            ),
            ("artwork", #"{"id":"x","artist":"A","artists":"B","images":"C"}"#, nil),
            (
                "artwork",
                #"{"id":"a/b","images":[{"id":"i?","image_url":"http://h/:version.jpg","caption":"c"},{"id":"j"},{"image_url":"u"},5]}"#,
                #"{"id":"a/b","images":[{"id":"i?","image_url":"artwork/a%2Fb/image/i%3F/larger.jpg","caption":"c"},{"id":"j"},{"image_url":"u"},5]}"#
            ),
            (
                "show",
                #"{"id":"s","location":{"id":"l","city":"C"},"artists":[{"id":"a","years":"y"}],"partner":{"id":"p","name":"P"}}"#,
                #"{"id":"s","location_id":"l","artists":[{"id":"a"}],"partner":{"id":"p"}}"#
            ),
            (
                "show", #"{"id":"s","location":{"city":"C"},"location_id":"m"}"#,
                #"{"id":"s","location_id":"m"}"#
            ),
            ("show", #"{"id":"s","location":{"city":"C"}}"#, #"{"id":"s"}"#),
            ("show", #"{"id":"s","location":null}"#, #"{"id":"s"}"#),
            ("show", #"{"id":"s","location_id":"l","location":"somewhere","name":"N"}"#, nil),
            ("show", #"{"id":"s"}"#, nil),
            (
                "picture", #"{"id":"..","image_url":"http://h/x.jpg"}"#,
                #"{"id":"..","image_url":"show/s%2F1/image/%2E%2E/larger.jpg"}"#
            ),
            (
                "picture",
                #"{"id":"i","image_urls":{"larger":"https://h/1.jpg","square":"https://h/2.jpg","odd":1}}"#,
                #"{"id":"i","image_url":"show/s%2F1/image/i/larger.jpg","image_versions":["square","larger"]}"#
            ),
            (
                "artwork",
                #"{"id":"a","images":[{"id":"i","image_url":"x","image_versions":["normalized"],"image_urls":{"medium":"https://h/1.jpg"},"tile_size":2,"tile_base_url":"http://h/t"}]}"#,
                #"{"id":"a","images":[{"id":"i","image_url":"artwork/a/image/i/larger.jpg","image_versions":["medium"],"tile_size":2,"tile_base_url":"artwork/a/image/i/tiles"}]}"#
            ),
            ("picture", #"{"id":"i","image_urls":{"larger":"ftp://h/1.jpg"}}"#, nil),
            ("picture", #"{"id":"i"}"#, nil), ("picture", #"{"image_url":"x"}"#, nil),
            (
                "show document", #"{"id":"d","uri":"http://h/f.pdf?x","filename":"ein Blatt.pdf"}"#,
                #"{"id":"d","uri":"partner/p/show/s%2F1/document/d/file/ein%20Blatt.pdf","filename":"ein Blatt.pdf"}"#
            ),
            (
                "show document", #"{"id":"d","filename":" "}"#,
                #"{"id":"d","filename":" ","uri":"partner/p/show/s%2F1/document/d/file/file"}"#
            ),
            (
                "artist document", #"{"id":"d"}"#,
                #"{"id":"d","uri":"partner/p/artist/a/document/d/file/file"}"#
            ),
            ("artist document", #"{"title":"T"}"#, nil),
        ] as [(String, String, String?)])
    func servedBodiesContainNoHostAndOnlyIdsOfArtists(kind: String, origin: String, served: String?) throws {
        let json = try #require(JSONValue(parsing: origin).objectValue)
        let expected = try served.map { try #require(JSONValue(parsing: $0).objectValue) }
        let form = Self.form(kind)
        #expect(form(json)?.canonicalText == expected?.canonicalText)
        #expect(form(expected ?? json) == nil, "not idempotent")
    }
}

@Suite struct FileReferenceTests {
    @Test(arguments: RouterTests.hostileIDs)
    func fileReferencesAreReadBackAsTheirIds(id: String) throws {
        let picture = FileReference.picture(artwork: id, image: id)
        #expect(
            RoutePattern("/artwork/:a/image/:i/larger.jpg")
                .match(try #require(RequestTarget.parse("/" + picture)).segments) == [id, id])
        let document = FileReference.document(partner: id, owner: Owner(.artist, id), id: id, filename: id)
        #expect(
            RoutePattern("/partner/:p/artist/:a/document/:d/file/:f")
                .match(try #require(RequestTarget.parse("/" + document)).segments) == [id, id, id, id])
    }
}
