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

    @Test(
        arguments: [
            (#"["square","medium","larger","normalized"]"#, nil, ["larger"]),
            (#"["square","medium"]"#, nil, ["medium"]), (#"["normalized","square"]"#, nil, ["normalized"]),
            (#"["odd","square"]"#, nil, ["square"]), (#"["odd"]"#, nil, ["odd"]), ("[]", nil, []),
            ("null", nil, ["larger"]), ("null", ["square", "medium"], ["square", "medium"]),
            (#"["square","larger"]"#, ["medium", "square", "square"], ["square"]),
            (#"["square"]"#, ["medium"], []),
            (#"["larger","normalized"]"#, ["normalized", "larger"], ["normalized", "larger"]),
        ] as [(String, [String]?, [String])])
    func imageFormatsAreChosenAmongThoseOffered(versions: String, wanted: [String]?, chosen: [String]) throws
    {
        let entry = try image(#"{"id":"i","image_versions":\#(versions)}"#)
        #expect(entry.address.chosenFormats(wanted: wanted) == chosen)
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
}
