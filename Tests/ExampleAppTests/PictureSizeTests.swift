import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync
import MirrorTesting
import OperationTree
import Testing

@testable import ExampleApp

@Suite("Picture sizes in the example app") struct PictureSizeTests {
    private let fixture: KioskFixture

    init() throws { fixture = try KioskFixture() }

    @Test func aJPEGsSizeIsReadFromItsFrameHeader() {
        let jpeg = Data(KioskFixture.jpeg(640, 300, "some text"))
        #expect(JPEGSize(jpeg: jpeg) == JPEGSize(width: 640, height: 300))
        #expect(JPEGSize(jpeg: jpeg.prefix(12)) == nil)
        #expect(JPEGSize(jpeg: Data("GIF89a".utf8)) == nil)
    }

    @Test func thePictureSizeStepCanBeTestedWithoutASync() async throws {
        let sizes = fixture.kiosk.sizes, path = "\(fixture.home.path)/picture.jpg"
        try Data(KioskFixture.jpeg(30, 40)).write(to: URL(filePath: path))
        let file = StoredFile(hash: "ab", size: 20, path: "media/ab/ab.jpg", type: "image/jpeg")
        let picture = StoredPicture(
            owner: Owner(.artwork, "cut-piece"), image: "i", format: "larger", file: file, path: path)
        let step = PictureSizeStep<Void>(sizes: sizes), context = StepContext(node: "picture size")
        #expect(try await step.expand(picture, in: context).collect().count == 1)
        #expect(try await step.perform(picture, in: context).isEmpty)
        #expect(try sizes.size(of: file) == JPEGSize(width: 30, height: 40))
        try Data("no picture".utf8).write(to: URL(filePath: path))
        await #expect(throws: UnreadableJPEG.self) { try await step.perform(picture, in: context) }
    }

    @Test func thePictureSizeNodeIsUnderThePicturesOfArtworksAndShows() throws {
        let tree = fixture.kiosk.tree
        #expect(tree.node(named: "picture size")?.parents == ["image"])
        let parents = try #require(tree.node(named: "image")).parents
        #expect(Set(parents) == ["artwork", "installation shots", "show cover"])
        #expect(
            tree.nodes.count == SyncTree.tree.nodes.count + 1,
            "the other nodes are those of the standard tree")
    }

    @Test func theKiosksTreeReportsARequestWithoutSendingIt() async throws {
        try await fixture.sync()
        _ = fixture.partner.takeRequests()
        let store = try fixture.kiosk.mirror.store()
        defer { try? store.close() }
        let environment = try SyncEnvironment(
            partner: FakePartner.id, store: store, folder: fixture.kiosk.mirror,
            session: fixture.partner.session())
        let tree = fixture.kiosk.tree, partner = PartnerID(FakePartner.id)
        let requests = try tree.requests(of: "artwork", for: partner, in: environment)
        #expect(requests?.map(\.target) == [.relative("/partner/p/artworks?ids=1&size=all")])
        #expect(try tree.requests(of: "artworks", for: partner, in: environment) == nil, "no such node")
        #expect(fixture.partner.takeRequests().isEmpty)
    }

    @Test func aSyncStoresTheSizeOfEachDownloadedPicture() async throws {
        #expect(try await fixture.sync().outcome == .complete)
        let store = try fixture.kiosk.mirror.store()
        defer { try? store.close() }
        let picture = try #require(try store.pictures(of: Owner(.artwork, "cut-piece")).first?.largest)
        #expect(try fixture.kiosk.sizes.hashes == [picture.hash])
        #expect(try fixture.kiosk.sizes.size(of: picture) == JPEGSize(width: 640, height: 480))
    }

    @Test func anUnreadableJPEGIsReportedAndTheSyncContinues() async throws {
        fixture.partner.change {
            $0.files["/artwork/cut-piece/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
        }
        let summary = try await fixture.sync()
        #expect(summary.outcome == .partial)
        #expect(summary.problems.map(\.message).contains { $0.contains("is not a readable JPEG") })
        #expect(summary.objects["artwork"]?.created == 2)
    }

    @Test func theUpkeepItemAddsMissingSizesAndRemovesThoseOfDeletedPictures() async throws {
        try await fixture.sync()
        let sizes = fixture.kiosk.sizes, hash = try #require(sizes.hashes.first)
        let item = try #require(fixture.kiosk.items.first)
        try await item.poll()
        #expect(fixture.takeNotices().isEmpty, "there is nothing to do")
        try sizes.remove(hash)
        try Data("{}".utf8).write(to: sizes.folder.appending(path: "gone"))
        try await item.poll()
        #expect(try sizes.hashes == [hash])
        #expect(fixture.takeNotices() == [.sizes(added: 1, removed: 1)])
    }
}
