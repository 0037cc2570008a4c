import Catalogue
import MirrorDemo
import Testing

@testable import MirrorServer
@testable import MirrorStore

/// How pictures of lists are loaded, and what is said of a show's cover.
@Suite("Pictures among others") struct PictureLoadingTests {
    private let test: TestServer

    init() throws { test = try TestServer(catalogue: false) }

    /// Stores the file of a picture that its owner already has.
    private func store(_ image: JSONObject, _ role: ImageRole, of owner: Owner) throws {
        let id = try #require(image["id"]?.stringValue)
        let file = try test.files.store(
            MirrorDemo.Picture.jpeg(id: "i", format: "medium", aspectRatio: 1.5), type: "image/jpeg")
        let record = FileRecord(
            .image(id, format: "larger", role: role, of: owner),
            entry: ImageRecord(try ImageEntry(image)).entry, file: file, etag: nil, lastModified: nil)
        _ = try test.store.apply([.file(record)], run: nil)
    }

    @Test func `the pictures of the first row, which are five, are loaded at once`() async throws {
        for number in 1...7 {
            let image: JSONObject = [
                "id": .string("i\(number)"), "original_width": 60, "original_height": 40,
            ]
            try test.put(artwork: "a\(number)", ("images", .array([.object(image)])))
            try store(image, .picture, of: Owner(.artwork, "a\(number)"))
        }
        try test.store.updateSearchIndex()
        let text = try await test.page("/artworks").text
        #expect(text.ranges(of: "<img ").count == 7 && text.ranges(of: "loading=\"lazy\"").count == 2)
    }

    @Test(arguments: [("The hall", "The hall"), (nil, "View of the show A show")] as [(String?, String)])
    func `a show's cover on the first page is described by its own caption`(caption: String?, alt: String)
        async throws
    {
        var image: JSONObject = ["id": "c", "original_width": 60, "original_height": 40]
        image["caption"] = caption.map(JSONValue.string)
        let owner = Owner(.show, "s")
        try test.store.put(show: "s", start: "2027-01-01", end: "2027-02-01", name: "A show")
        let list = ListName(url: "/images/s/cover", owner: owner, name: "images")
        _ = try test.store.apply(
            [
                .showImages(
                    show: "s", role: .cover, images: [ImageRecord(try ImageEntry(image))],
                    list: ListAnswer(list: list, etag: nil, date: nil))
            ], run: nil)
        try store(image, .cover, of: owner)
        try test.store.updateSearchIndex()
        #expect(try await test.page("").text.contains("alt=\"\(alt)\""))
    }
}
