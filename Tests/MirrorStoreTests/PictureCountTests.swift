import Catalogue
import Testing

@testable import MirrorStore

@Suite("Pictures that the server lacks, and the number of those that are here")
struct PictureCountTests {
    private let fixture: BrowsingFixture
    private var store: CatalogueStore { fixture.store }

    /// An artwork with four pictures, a hidden one with one, and a show with two views.
    init() throws {
        fixture = try BrowsingFixture()
        try fixture.put(.artwork, "a", ["title": "The Wave", "images": Self.images(["p", "q", "r", "s"])])
        try fixture.put(
            .artwork, BrowsingFixture.hidden,
            ["title": "Hidden", "published": false, "images": Self.images(["x"])])
        try fixture.put(.show, "t", ["name": "Show"])
        let list = ListName(url: "/show/t/images", owner: Owner(.show, "t"), name: "images")
        _ = try store.apply(
            [
                .showImages(
                    show: "t", role: .installation, images: ["v", "w"].map { .make($0) },
                    list: ListAnswer(list: list, etag: nil, date: nil))
            ], run: fixture.run)
    }

    private static func images(_ ids: [String]) -> JSONValue {
        .array(
            ids.map {
                [
                    "id": .string($0), "image_url": .string("\($0)/larger.jpg"),
                    "image_versions": ["square", "larger"],
                ]
            })
    }

    /// Stores that the server doesn't have a file.
    private func lack(
        _ image: String, _ format: String = "larger", _ role: ImageRole = .picture,
        of owner: Owner = Owner(.artwork, "a")
    ) throws {
        let use = FileUse.image(image, format: format, role: role, of: owner)
        _ = try store.apply(
            [.file(FileRecord(use, entry: "e", file: nil, etag: nil, lastModified: nil))], run: fixture.run)
    }

    @Test func `Pictures whose file the server lacks are told from those that were not fetched yet`() throws {
        let artwork = Owner(.artwork, "a")
        #expect(try store.unavailablePictures(of: artwork).isEmpty)
        try lack("p")
        try lack("q", "square")
        try lack("r")
        try fixture.storeFile("r", format: "medium", of: "a")
        #expect(try store.unavailablePictures(of: artwork) == ["p"])
        #expect(try store.items(["a"], for: .visitors)[0].picture.choice?.image == "r")
        #expect(try store.unavailablePictures(of: Owner(.artist, "zorn")).isEmpty)
    }

    @Test func `They are found among all pictures of an artwork, and among the views of a show`() throws {
        let ids = (1...30).map { "n\($0)" }
        try fixture.put(.artwork, "b", ["title": "Fuji", "images": Self.images(ids)])
        try lack("n30", of: Owner(.artwork, "b"))
        #expect(try store.unavailablePictures(of: Owner(.artwork, "b")) == ["n30"])
        try lack("w", "larger", .installation, of: Owner(.show, "t"))
        #expect(try store.unavailablePictures(of: Owner(.show, "t")) == ["w"])
    }

    @Test func `Visitors' pictures of artworks are counted, with those that have a file to show`() throws {
        func counts(_ face: Face) throws -> [Int]? {
            try store.pictureCounts(for: face).map { [$0.here, $0.wanted] }
        }
        #expect(try counts(.visitors) == [0, 4] && counts(.staff) == [0, 5])
        try fixture.storeFile("p", of: "a")
        try fixture.storeFile("p", format: "medium", of: "a")
        try fixture.storeFile("q", format: "square", of: "a")
        try fixture.storeFile("x", of: BrowsingFixture.hidden)
        #expect(try counts(.visitors) == [1, 4] && counts(.staff) == [2, 5])
        #expect(try store.historyFacts(for: .staff).files?.wanted == 7, "with the views of the show")
    }

    @Test func `More than 2,000 pictures are not counted`() throws {
        try store.write { db in
            try db.run(
                """
                INSERT INTO image (id, artwork_id, role, position, entry, json)
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1996)
                SELECT 'n' || i, 'a', 'picture', 10 + i, 'e', '{}' FROM n
                """)
        }
        #expect(try store.pictureCounts(for: .visitors)?.wanted == nil)
    }
}
