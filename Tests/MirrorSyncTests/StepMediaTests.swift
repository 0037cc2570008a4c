import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import OperationTree
import Testing

@testable import MirrorSync

/// The steps of documents, pictures and albums, each run without a tree: what they store and output for an answer.
@Suite("Steps: files and local edits", .limitedConcurrency) struct StepMediaTests {
    let fixture: StepFixture

    init() throws { fixture = try StepFixture() }

    // MARK: - Documents and pictures

    @Test func aDocumentsStepListsAndStoresDocumentsAndOutputsTheirURLs() async throws {
        try await fixture.put(StepFixture.record(.artist, Artist.self, #"{"id":"x"}"#))
        fixture.transport.expect("GET", "/partner/p/artist/x/documents?ids=1&size=all", .text(#"["d"]"#))
        fixture.transport.expect(
            "GET", "/partner/p/artist/x/document/d", .text(#"{"id":"d","title":"D","size":3,"uri":"/d.pdf"}"#)
        )
        let step = DocumentsStep(), context = fixture.context("artist documents")
        let items = try await step.expand(fixture.owner(.artist, "x"), in: context).collect()
        #expect(items.map(\.id) == ["d"])
        let outputs = try await step.perform(try #require(items.first), in: context)
        #expect(outputs.map(\.uri) == ["/d.pdf"])
        #expect(outputs.map(\.size) == [3])
        #expect(try await fixture.commit().contains("document d created"))
        try fixture.transport.verify()
    }

    @Test func aDocumentsFileIsNamedAfterItsHash() async throws {
        try await fixture.put(StepFixture.record(.show, Show.self, #"{"id":"a/b"}"#))
        let source = fixture.document
        fixture.transport.expect("GET", source.uri, .response(body: Array("%PDF-1.4".utf8)))
        _ = try await DocumentFileStep().perform(source, in: fixture.context("document file"))
        let files = try fixture.folder.paths(under: "p/media")
        #expect(files.count == 1 && files[0].wholeMatch(of: #/../[0-9a-f]{64}.*/#) != nil)
    }

    @Test func installationShotsAreRequestedPageByPageUntilAPageIsEmpty() async throws {
        try await fixture.put(StepFixture.record(.show, Show.self, #"{"id":"s"}"#))
        let list = "/partner_show/s/images?default=0"
        fixture.transport.expect(
            "GET", "\(list)&page=1&size=20", .text(#"[{"id":"i","image_versions":["larger"]}]"#),
            .text(#"[{"id":"i","image_versions":["larger"]}]"#))
        fixture.transport.expect("GET", "\(list)&page=2&size=20", .text("[]"))
        let step = ShowImagesStep.installationShots, context = fixture.context("installation shots")
        let items = try await step.expand(fixture.owner(.show, "s"), in: context).collect()
        let outputs = try await step.perform(try #require(items.first), in: context)
        #expect(outputs.map(\.role) == [.installation])
        _ = try await fixture.commit()
        #expect(
            try fixture.store.storedImages(of: Owner(.show, "s"), role: .installation).map(\.id) == ["i"])
        #expect(try fixture.store.storedImages(of: Owner(.show, "s"), role: .cover).isEmpty)
        try fixture.transport.verify()
    }

    @Test func anImageStepHasAnItemForEachWantedAndOfferedFormat() async throws {
        let wanting = try StepFixture { $0.formats = ["square", "larger", "huge"] }
        let items = try await ImageStep().expand(wanting.pictures, in: wanting.context("image")).collect()
        #expect(items.map(\.format) == ["square", "larger"], "a format that is not offered is not requested")
    }

    @Test func aDownloadedPictureIsStoredAsTheFileOfItsRow() async throws {
        try await fixture.put(
            ObjectRecord(
                .artwork, artwork(#"{"id":"a","images":[{"id":"i","image_versions":["larger"]}]}"#), etag: nil
            ))
        let step = ImageStep(), context = fixture.context("image")
        let items = try await step.expand(fixture.pictures, in: context).collect()
        fixture.transport.expect(
            "GET", "/artwork/a/image/i/larger.jpg", .response(body: [0xFF, 0xD8, 0xFF, 1]))
        _ = try await step.perform(try #require(items.first), in: context)
        _ = try await fixture.commit()
        let file = try fixture.store.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?
            .file
        #expect(file?.size == 4)
        #expect(try fixture.folder.paths(under: "p").contains(try #require(file).path))
        #expect(fixture.environment.report.current.images.fetched == 1)
    }

    @Test func aPictureWithAnAddressForEachFormatIsDownloadedFromTheirHosts() async throws {
        let wanting = try StepFixture { $0.formats = ["square", "medium", "larger"] }
        let body =
            #"{"id":"a","images":[{"id":"i","image_urls":{"larger":"https://cdn.test/full 1.jpg","square":"https://other.test/s.jpg?w=1"}}]}"#
        try await wanting.put(ObjectRecord(.artwork, artwork(body), etag: nil))
        let stored = try Pictures.stored(Owner(.artwork, "a"), .picture, wanting.environment)
        let step = ImageStep(), context = wanting.context("image")
        let items = try await step.expand(try #require(stored.first), in: context).collect()
        #expect(items.map(\.format) == ["square", "larger"])
        wanting.transport.expect(
            "GET", "https://other.test/s.jpg?w=1", .response(body: [0xFF, 0xD8, 0xFF, 1]))
        wanting.transport.expect(
            "GET", "https://cdn.test/full%201.jpg", .response(body: [0xFF, 0xD8, 0xFF, 2]))
        for item in items { _ = try await step.perform(item, in: context) }
        _ = try await wanting.commit()
        let files = try wanting.store.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]
        #expect(files?.filter { $0.value.file != nil }.keys.sorted() == ["larger", "square"])
        try wanting.transport.verify()
    }

    // MARK: - Albums

    @Test func localAlbumEditsArePushedAndThePartnerIsOutputOnce() async throws {
        try await fixture.editAlbums()
        fixture.transport.expect("GET", "/partner/p/album/known", .text(#"{"id":"known","name":"Known"}"#))
        fixture.transport.expect(
            "PUT", "/partner/p/album/known", .text(#"{"id":"known","name":"Renamed"}"#))
        fixture.transport.expect(
            "POST", "/partner/p/album", .text(#"{"id":"new","name":"Mine"}"#, status: 201))
        fixture.transport.expect("POST", "/partner/p/album/new/artwork/w%2F1", .text("{}"))
        let outputs = try await AlbumPushStep.edits.perform(
            fixture.partner, in: fixture.context("album edits"))
        #expect(outputs.map(\.id) == ["p"])
        #expect(try fixture.store.pendingAlbums().isEmpty)
        try fixture.transport.verify()
    }

    @Test func aRefusedAlbumEditIsReportedAndOtherEditsArePushed() async throws {
        try await fixture.editAlbums()
        fixture.transport.expect("GET", "/partner/p/album/known", .text(#"{"id":"known","name":"Known"}"#))
        fixture.transport.expect("PUT", "/partner/p/album/known", .text("{}", status: 422))
        fixture.transport.expect(
            "POST", "/partner/p/album", .text(#"{"id":"new","name":"Mine"}"#, status: 201))
        fixture.transport.expect("POST", "/partner/p/album/new/artwork/w%2F1", .text("{}"))
        let context = fixture.context("album edits")
        #expect(try await AlbumPushStep.edits.perform(fixture.partner, in: context).map(\.id) == ["p"])
        #expect(context.reported.map(\.item) == ["known"])
        try fixture.transport.verify()
    }

    @Test func deletingAnAlbumThatTheServerHasAlreadyDeletedSucceeds() async throws {
        try await fixture.editAlbums()
        fixture.transport.expect("GET", "/partner/p/album/gone", .text(#"{"id":"gone","name":"Gone"}"#))
        fixture.transport.expect("DELETE", "/partner/p/album/gone", .text("{}", status: 404))
        let context = fixture.context("album deletions")
        #expect(try await AlbumPushStep.deletions.perform(fixture.partner, in: context).map(\.id) == ["p"])
        #expect(context.reported.isEmpty)
        #expect(try fixture.store.pendingAlbumDeletions().isEmpty)
    }

    private func artwork(_ text: String) throws -> Artwork {
        var warnings: [FieldWarning] = []
        return try Artwork(StepFixture.json(text), warnings: &warnings)
    }
}

extension TemporaryFolder {
    /// The paths of all files under a subfolder, relative to it, sorted.
    func paths(under name: String) throws -> [String] {
        let root = file(name)
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }
}
