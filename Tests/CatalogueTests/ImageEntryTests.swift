import Catalogue
import Testing

@Suite struct ImageEntryTests {
    private func image(_ text: String) throws -> ImageEntry {
        var warnings: [FieldWarning] = []
        return try ImageEntry(JSONValue(parsing: text), warnings: &warnings)
    }

    @Test(arguments: [
        ("http://h/a/b/:version.jpg", "http://h/a/b/larger.jpg"), ("a/larger.jpg", "a/larger.jpg"),
        ("larger.jpg", "larger.jpg"), ("/a/x.png", "/a/larger.jpg"),
        ("https://h/a/", "https://h/a/larger.jpg"),
        ("https://h", "https://h/larger.jpg"), ("https://h?k=/v", "https://h/larger.jpg?k=/v"),
        ("https://h/a/x.jpg?sig=a/b&c=%2F", "https://h/a/larger.jpg?sig=a/b&c=%2F"),
        ("https://h/a/x.jpg#part/1", "https://h/a/larger.jpg"), ("//h/x.jpg", "//h/larger.jpg"),
        ("artwork/a%2Fb/image/i/medium.jpg", "artwork/a%2Fb/image/i/larger.jpg"),
    ])
    func theAddressOfAFormatReplacesOnlyTheLastPathComponent(template: String, url: String) throws {
        #expect(try image(#"{"id":"i","image_url":"\#(template)"}"#).address.fileURL(format: "larger") == url)
    }

    @Test func aHostileFormatNameStaysOnePathComponent() throws {
        let entry = try image(#"{"id":"i","image_url":"a/x.jpg"}"#)
        #expect(entry.address.fileURL(format: "../../b?c#d") == "a/..%2F..%2Fb%3Fc%23d.jpg")
        #expect(try image(#"{"id":"i"}"#).address.fileURL(format: "larger") == nil)
    }

    @Test func addressesOfFormatsReplaceTheTemplateAndTheOfferedFormats() throws {
        let entry = try image(
            #"{"id":"i","image_url":"a/x.jpg","image_versions":["normalized"],"image_urls":{"square":"http://h/s.png","larger":"HTTPS://h/a b.jpg?c#d"}}"#
        )
        #expect(entry.imageVersions == ["square", "larger"])
        #expect(entry["image_versions"] == .text(#"["square","larger"]"#))
        #expect(
            entry["image_urls"]
                == .text(#"{"larger":"HTTPS://h/a b.jpg?c#d","square":"http://h/s.png"}"#))
        #expect(entry.address.fileURL(format: "larger") == "HTTPS://h/a b.jpg?c")
        #expect(entry.address.fileURL(format: "square") == "http://h/s.png")
        #expect(entry.address.fileURL(format: "medium") == nil)
    }

    @Test(
        arguments: [
            (#"{"larger":"ftp://h/x.jpg"}"#, [], ["image_urls.larger"]),
            (#"{"larger":"x.jpg","square":"https://"}"#, [], ["image_urls.square", "image_urls.larger"]),
            (
                #"{"larger":"https:///x","medium":"http://h/x\u0007"}"#, [],
                ["image_urls.medium", "image_urls.larger"]
            ),
            (
                #"{"larger":"https://name:secret@h/x","medium":"http://h\\x","square":"http://:8/x"}"#, [],
                ["image_urls.square", "image_urls.medium", "image_urls.larger"]
            ),
            (#"{"larger":"https://h:8/a@b?c"}"#, ["larger"], []),
            (#"{"larger":7,"medium":null,"square":""}"#, [], ["image_urls.larger"]),
            (#"{"huge":"https://h/x","tiny":"https://h/y"}"#, [], ["image_urls"]),
            (#"{"huge":"https://h/x","medium":"https://h/y"}"#, ["medium"], ["image_urls"]),
            (#"["https://h/x"]"#, [], ["image_urls"]), ("{}", [], []),
        ] as [(String, [String], [String])])
    func unusableAddressesOfFormatsAreLeftOutWithAWarning(
        urls: String, formats: [String], warned: [String]
    ) throws {
        var warnings: [FieldWarning] = []
        let entry = try ImageEntry(
            JSONValue(parsing: #"{"id":"i","image_urls":\#(urls)}"#), warnings: &warnings)
        #expect(entry.imageURLs.keys.sorted() == formats)
        #expect(warnings.map(\.field) == warned)
        // Without any usable address, the template applies.
        #expect(entry.imageVersions == (formats.isEmpty ? nil : formats))
        #expect(entry["image_urls"] == .null || !formats.isEmpty)
    }

    @Test(
        arguments: [
            (#"{"id":"i","aspect_ratio":"1.25","original_width":1,"original_height":9}"#, 1.25),
            (#"{"id":"i","original_width":200,"original_height":100}"#, 0.5),
            (#"{"id":"i","original_width":0,"original_height":100}"#, nil),
            (#"{"id":"i","original_height":1}"#, nil),
        ] as [(String, Double?)])
    func aMissingAspectRatioIsComputedFromHeightAndWidth(text: String, ratio: Double?) throws {
        #expect(try image(text).aspectRatio == ratio)
    }

    @Test(
        arguments: [
            (200, 100, 3.0, 2.0), (nil, 100, 0.5, 2.0), (0, 0, 0.5, 2.0), (nil, nil, 0.0, nil),
            (nil, nil, -1.0, nil), (nil, nil, .leastNonzeroMagnitude, nil), (nil, nil, nil, nil),
        ] as [(Int?, Int?, Double?, Double?)])
    func theRatioIsWidthByHeight(width: Int?, height: Int?, aspectRatio: Double?, ratio: Double?) {
        #expect(ImageEntry.ratio(width: width, height: height, aspectRatio: aspectRatio) == ratio)
    }
}
