import Catalogue
import Testing

@testable import MirrorStore

@Suite("Stored pictures that a source no longer offers") struct WithdrawnPictureTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private func record(_ images: String) throws -> ObjectRecord {
        var warnings: [FieldWarning] = []
        let json = try JSONValue(parsing: #"{"id":"w","title":"Work","images":\#(images)}"#).objectValue
        return ObjectRecord(.artwork, try Artwork(#require(json), warnings: &warnings), etag: nil)
    }

    private static let free = #"[{"id":"i","image_urls":{"larger":"https://h.test/i.jpg"}}]"#
    private static let withdrawn =
        #"[{"id":"i","image_urls":{"larger":"https://h.test/i.jpg"},"withdrawn":true}]"#

    @Test func theFileOfAWithdrawnPictureStaysCurrent() throws {
        let before = try record(Self.free).parts.images, after = try record(Self.withdrawn).parts.images
        #expect(before.map(\.entry) == after.map(\.entry))
        #expect(before.map(\.json) != after.map(\.json))
    }

    @Test func aWithdrawnPictureIsReadAsSuch() throws {
        let owner = Owner(.artwork, "w")
        try test.put(record(Self.free), run: try test.beginRun())
        #expect(try test.store.storedImages(of: owner, role: .picture).map(\.isWithdrawn) == [false])
        try test.put(record(Self.withdrawn), run: try test.beginRun())
        #expect(try test.store.storedImages(of: owner, role: .picture).map(\.isWithdrawn) == [true])
        #expect(try test.store.picturesWithFiles(ofArtwork: "w") == [], "no file is stored")
    }

    @Test func theLogSaysThatPicturesWereWithdrawn() throws {
        try test.put(record(Self.free), run: try test.beginRun())
        var after = try record(Self.withdrawn)
        after.withdrawnPictures = 1
        let run = try test.beginRun()
        #expect(try test.put(after, run: run) == [.updated])
        #expect(
            try test.scalar("SELECT evidence FROM change WHERE run = ?", [run])
                == "the source no longer offers 1 of its stored pictures")
    }
}
