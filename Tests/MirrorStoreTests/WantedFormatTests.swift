import Catalogue
import GRDB
import Testing

@testable import MirrorStore

/// The store's SQL and ``PictureFormats/chosen(among:isFirst:)`` are the same rule.
@Suite("The wanted formats of stored pictures") struct WantedFormatTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private func store(_ images: String, name: String = "A") throws {
        let artwork = try Artwork(text: #"{"id":"a","title":"\#(name)","images":[\#(images)]}"#)
        try test.put(ObjectRecord(.artwork, artwork, etag: nil), run: try test.beginRun())
    }

    private static func image(_ id: String, _ more: String) -> String {
        #"{"id":"\#(id)","image_url":"\#(id)/larger.jpg"\#(more)}"#
    }

    private static let all = #","image_versions":["square","medium","larger","normalized"]"#
    private static let marked = #","is_default":true"#

    private static let artworks: [[String]] = [
        [image("i", all)], [image("i", all), image("j", all), image("k", all)],
        [image("i", all), image("j", all + marked), image("k", all + marked)],
        [image("i", #","image_versions":["larger"]"#), image("j", all)],
        [image("i", #","image_versions":["square","medium"]"#)],
        [image("i", #","image_versions":["medium"]"#)],
        [image("i", #","image_versions":["normalized","medium"]"#)], [image("i", #","image_versions":[]"#)],
        [image("i", "")], [image("i", #","image_versions":["odd","it's"]"#)],
        [image("i", all + #","withdrawn":true"#), image("j", all)],
        [
            #"{"id":"i","image_urls":{"larger":"https://h/l.jpg","medium":"https://h/m.jpg"}}"#,
            image("j", all),
        ],
        [#"{"id":"i"}"#],
    ]

    private static let formats: [PictureFormats] = [
        .largest, .standard, ["medium"], ["square", "larger"], ["it's", "none"], [],
    ]

    /// The wanted formats of the artwork's pictures by the rule in Swift.
    private func wanted(_ formats: PictureFormats) throws -> [(image: StoredImage, format: String)] {
        let images = try test.store.storedImages(of: Owner(.artwork, "a"), role: .picture)
        return images.flatMap { image in
            formats.chosen(
                among: image.address.versions, isFirst: image.id == images.firstID && !image.isWithdrawn
            ).filter { image.address.fileURL(format: $0) != nil }.map { (image, $0) }
        }
    }

    private func assign(_ image: StoredImage, _ format: String) throws {
        let hash = "\(image.id)\(format)"
        let file = StoredFile(hash: hash, size: 1, path: "media/\(hash)", type: nil)
        let use = FileUse.image(image.id, format: format, role: .picture, of: Owner(.artwork, "a"))
        let record = FileRecord(use, entry: image.entry, file: file, etag: nil, lastModified: nil)
        _ = try test.store.apply([.file(record)], run: 1)
    }

    private func isMissing(_ formats: PictureFormats) throws -> Bool {
        try !test.store.ownersMissingFiles(.artwork, ids: ["a"], formats: formats).isEmpty
    }

    @Test(arguments: artworks, formats)
    func anArtworkLacksFilesUntilEachWantedFormatIsStored(images: [String], formats: PictureFormats) throws {
        try store(images.joined(separator: ","))
        for (image, format) in try wanted(formats) {
            #expect(try isMissing(formats), "\(format) of \(image.id)")
            try assign(image, format)
        }
        #expect(try !isMissing(formats))
        if images.count > 1 || !images[0].contains("\"i\"}") {
            #expect(try test.store.picturesToFetch(of: .artwork, formats: formats).pictures == 0)
        }
    }

    @Test func theSecondFilesOfFirstPicturesAreCounted() throws {
        try store([Self.image("i", Self.all), Self.image("j", Self.all)].joined(separator: ","))
        func toFetch() throws -> [Int] {
            let found = try test.store.picturesToFetch(of: .artwork, formats: .standard)
            return [found.owners, found.pictures]
        }
        #expect(try toFetch() == [1, 3])
        for (image, format) in try wanted(.largest) { try assign(image, format) }
        #expect(try toFetch() == [1, 1])
        for (image, format) in try wanted(.standard) { try assign(image, format) }
        #expect(try toFetch() == [0, 0])
    }

    @Test func anotherFirstPictureLacksItsSecondFile() throws {
        let images = [Self.image("i", Self.all), Self.image("j", Self.all)]
        try store(images.joined(separator: ","))
        for (image, format) in try wanted(.standard) { try assign(image, format) }
        #expect(try !isMissing(.standard))
        try store(images.reversed().joined(separator: ","), name: "B")
        #expect(try isMissing(.standard))
        #expect(try !isMissing(.largest))
    }

    @Test func anUnavailableFileIsForgottenIfItsFormatIsNotWanted() throws {
        try store([Self.image("i", Self.all), Self.image("j", Self.all)].joined(separator: ","))
        func forget(after formats: PictureFormats) throws -> String? {
            let images = try test.store.storedImages(of: Owner(.artwork, "a"), role: .picture)
            let run = try test.beginRun()
            for image in images {
                for format in ["medium", "larger", "square"] {
                    let use = FileUse.image(
                        image.id, format: format, role: .picture, of: Owner(.artwork, "a"))
                    let record = FileRecord(
                        use, entry: image.entry, file: nil, etag: nil, lastModified: nil)
                    _ = try test.store.apply([.file(record)], run: run)
                }
            }
            var request = FinishRequest(run: run)
            request.formats = formats.text
            _ = try test.store.finish(request)
            return try test.scalar(
                """
                SELECT group_concat(name, ', ') FROM (SELECT i.id || ' ' || f.format AS name
                  FROM image_file f JOIN image i ON i.pk = f.image ORDER BY 1)
                """)
        }
        #expect(try forget(after: .standard) == "i larger, i medium, j larger")
        #expect(try forget(after: .largest) == "i larger, j larger")
        #expect(try forget(after: ["square"]) == "i square, j square")
        #expect(try test.store.rememberedFormats() == ["square"])
    }
}
