import Catalogue
import Testing

@testable import MirrorStore

@Suite("Pictures with an address for each format") struct FormatAddressTests {
    private static let addresses =
        #""image_urls":{"larger":"https://cdn.test/1/full 1.jpg","square":"https://other.test/s.png"}"#
    private let test: TestStore

    init() throws { test = try TestStore() }

    private func store(_ picture: String) throws {
        let artwork = try Artwork(text: #"{"id":"a","images":[{"id":"i",\#(picture)}]}"#)
        try test.put(ObjectRecord(.artwork, artwork, etag: nil), run: try test.beginRun())
    }

    private func missing(_ formats: PictureFormats) throws -> Set<String> {
        try test.store.ownersMissingFiles(.artwork, ids: ["a"], formats: formats)
    }

    @Test func theAddressesAreStored() throws {
        try store(Self.addresses)
        let image = try #require(
            try test.store.storedImages(of: Owner(.artwork, "a"), role: .picture).first)
        #expect(image.address.versions == ["square", "larger"])
        #expect(image.address.fileURL(format: "larger") == "https://cdn.test/1/full 1.jpg")
        #expect(image.address.fileURL(format: "square") == "https://other.test/s.png")
        #expect(image.address.fileURL(format: "medium") == nil)
    }

    @Test func onlyTheOfferedFormatsAreMissing() throws {
        try store(Self.addresses)
        #expect(try missing(.largest) == ["a"])
        #expect(try missing(["square"]) == ["a"])
        #expect(try missing(["medium", "normalized"]) == [])
        #expect(try test.store.lacksPictures())
        #expect(try test.store.picturesToFetch(of: .artwork, formats: ["medium"]).pictures == 0)
        #expect(try test.store.picturesToFetch(of: .artwork, formats: ["square"]).pictures == 1)
    }

    @Test func aPictureWithoutAUsableAddressIsNotMissing() throws {
        try store(#""image_urls":{"larger":"ftp://cdn.test/1.jpg"}"#)
        #expect(try missing(.largest) == [])
        #expect(try !test.store.lacksPictures())
    }

    @Test func theServedArtworkContainsNoAddressOfAnotherHost() throws {
        try store(Self.addresses)
        #expect(
            try test.scalar("SELECT served FROM artwork")
                == #"{"id":"a","images":[{"id":"i","image_url":"artwork/a/image/i/larger.jpg","image_versions":["square","larger"]}]}"#
        )
    }

    @Test func aPictureWhoseAddressChangesHasAnotherEntry() throws {
        try store(Self.addresses)
        let entry: String? = try test.scalar("SELECT entry FROM image")
        try store(Self.addresses.replacing("full 1", with: "full 2"))
        #expect(try test.scalar("SELECT entry FROM image") != entry)
        try store(#""image_url":"a/x.jpg""#)
        #expect(
            try test.store.storedImages(of: Owner(.artwork, "a"), role: .picture).first?.address
                == ImageAddress(template: "a/x.jpg", versions: nil))
    }
}
