import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("Pictures on the page of an artwork") struct WorkPicturesTests {
    private let test: TestServer

    init() throws { test = try TestServer(catalogue: false) }

    private func image(_ id: String, _ fields: (String, JSONValue)...) -> JSONValue {
        .object(JSONObject([("id", .string(id))] + fields))
    }

    @Test func `visitors don't get hidden fields of pictures`() async throws {
        try test.put(
            artwork: "a", ("images", .array([image("i", ("caption", "Seen"), ("internal_note", "secret"))])))
        let text = try await test.page("/artwork/a.json").text
        #expect(text.contains("Seen") && !text.contains("secret"))
        #expect(try await test.page("/artwork/a.json", of: test.forStaff()).text.contains("secret"))
    }

    @Test func `of many pictures the first 60 are offered, and the JSON says the number of all`() async throws
    {
        try test.put(artwork: "a", ("images", .array((1...65).map { image("i\($0)") })))
        let text = try await test.page("/artwork/a").text
        #expect(text.contains("?picture=60\"") && !text.contains("?picture=61\""))
        let json = try await test.page("/artwork/a.json").json().objectValue
        #expect(json?["picture_total"] == 65 && json?["pictures"]?.arrayValue?.count == 60)
    }

    @Test(arguments: ["0", "-9223372036854775808", "9223372036854775807", "61", "x"])
    func `a number without a picture shows the usual one`(number: String) async throws {
        try test.put(artwork: "a", ("images", .array([image("i"), image("j")])))
        let answer = try await test.page("/artwork/a?picture=\(number)")
        #expect(answer.status == 200)
        #expect(answer.text.contains("href=\"/test/artwork/a?picture=1\" aria-current=\"true\""))
    }

    @Test func `another picture is chosen within the same list`() async throws {
        try test.put(artwork: "a", ("images", .array([image("i"), image("j")])))
        let text = try await test.page("/artwork/a?in=sort%3Dtitle&picture=2").text
        #expect(text.contains("href=\"/test/artwork/a?in=sort=title&amp;picture=1\""))
    }

    @Test func `a picture that the server doesn't have is missing, and others are not here yet`() async throws
    {
        let json = JSONObject([("id", .string("i"))])
        try test.put(artwork: "a", ("images", .array([.object(json)])))
        #expect(try await test.page("/artwork/a").text.contains("Picture not here yet"))
        let record = FileRecord(
            .image("i", format: "larger", role: .picture, of: Owner(.artwork, "a")),
            entry: ImageRecord(try ImageEntry(json)).entry, file: nil, etag: nil, lastModified: nil)
        _ = try test.store.apply([.file(record)], run: nil)
        let text = try await test.page("/artwork/a").text
        #expect(text.contains("The file is missing here") && !text.contains("Picture not here yet"))
    }

    @Test func `a file that is no picture is called that on the page and in the list, and has no link`()
        async throws
    {
        let json = JSONObject([("id", .string("i"))])
        try test.put(artwork: "a", ("title", "Broken"), ("images", .array([.object(json)])))
        let file = try test.files.store([1, 2, 3], type: "image/jpeg")
        let record = FileRecord(
            .image("i", format: "larger", role: .picture, of: Owner(.artwork, "a")),
            entry: ImageRecord(try ImageEntry(json)).entry, file: file, etag: nil, lastModified: nil)
        _ = try test.store.apply([.file(record)], run: nil)
        _ = try test.store.readPixelSizes(in: test.files)
        try test.store.updateSearchIndex()
        for path in ["/artwork/a", "/artworks"] {
            let text = try await test.page(path).text
            #expect(text.contains("The file is no picture"), "\(path)")
            #expect(!text.contains("/test/picture/"), "\(path)")
        }
    }

    @Test func `the drawing to scale is left out where the picture has another shape than the work`()
        async throws
    {
        func image(_ width: JSONValue) -> JSONValue {
            .array([["id": "i", "original_width": width, "original_height": 100]])
        }
        let size: JSONValue = ["cm": "20 × 30 cm"]
        try test.put(artwork: "a", ("dimensions", size), ("images", image(150)))
        try test.put(artwork: "b", ("dimensions", size), ("images", image(50)))
        #expect(try await test.page("/artwork/a").text.contains("To scale, beside a person"))
        #expect(try await !test.page("/artwork/b").text.contains("To scale, beside a person"))
    }
}
