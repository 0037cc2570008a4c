import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import OperationTree
import Synchronization
import Testing

@testable import MirrorSync

/// The step of an app's node under `image`: records each file that it gets.
struct ThumbnailStep: Step {
    final class Made: Sendable {
        let files = Mutex<[String]>([])
    }

    let made = Made()

    func identity(of item: StoredPicture) -> String { "\(item.image)/\(item.format)" }

    func expand(_ picture: StoredPicture, in context: StepContext<SyncEnvironment>) async throws
        -> Expansion<StoredPicture>
    { .one(picture) }

    func perform(_ picture: StoredPicture, in context: StepContext<SyncEnvironment>) async throws -> [Never] {
        let bytes = try Data(contentsOf: URL(filePath: #require(picture.path)))
        let line =
            "\(picture.owner.kind.name) \(picture.owner.id) \(picture.image) \(picture.format) \(bytes.count)"
        made.files.withLock { $0.append(line) }
        return []
    }
}

@Suite("An app's own tree", .limitedConcurrency) struct OwnTreeTests {
    let partner = FakePartner { state in
        state.artist("x")
        state.artwork("a", artist: "x", image: "i")
        state.artwork("b", artist: "x")
        state.album("m", ["b", "a"])
        state.album("n", ["a"])
        state.show("s", ["a"])
        state.files["/artwork/a/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    }

    @Test func aNodeUnderTheImageNodeGetsTheFileOfEachPictureThatARunStores() async throws {
        let step = ThumbnailStep(), mirror = try TestMirror(partner)
        let pictures = SyncTree.pictures { Node("thumbnail", step, lane: .media) }
        let tree = SyncTree.partner {
            SyncTree.details
            SyncTree.locations
            SyncTree.artists
            SyncTree.artworks(pictures: pictures)
            SyncTree.shows(pictures: pictures)
            SyncTree.editedAlbums
        }
        #expect(TreeCoverage(tree).coversMirror)
        #expect(tree.node(named: "image")?.isShared == true)
        let summary = try await mirror.sync(tree: tree)
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(step.made.files.withLock { $0 } == ["artwork a i larger 7"])
        try await mirror.sync(tree: tree)
        #expect(step.made.files.withLock { $0 }.count == 1, "a stored file is not output again")
    }

    @Test func aKindWithoutANodeIsNeitherListedNorSwept() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.remove(.artwork, "b")
            state.remove(.album, "m")
        }
        _ = partner.takeRequests()
        let summary = try await mirror.sync(tree: SyncTree.tree.leavingOut(["artwork"]))
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(!partner.takeRequests().contains { $0.hasPrefix("GET /partner/p/artworks?") })
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        #expect(try mirror.ids(.album) == ["n"])
        try await mirror.sync()
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    @Test func theNextSyncWithTheWholeTreeFetchesTheDataOfNodesThatWereLeftOut() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.extensions = ["validators"] }
        try await mirror.sync(tree: SyncTree.tree.leavingOut(["show artworks", "image"]))
        #expect(try mirror.read { try $0.members(of: Owner(.show, "s")) } == [])
        #expect(try mirror.picture() == nil)
        try await mirror.sync()
        #expect(try mirror.read { try $0.members(of: Owner(.show, "s")) } == ["a"])
        #expect(try mirror.picture()?.size == 7)
    }

    @Test func sinceDatesAndTheCursorDoNotAdvanceIfATreeLeavesNodesOut() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.extensions = ["validators", "since", "events"] }
        try await mirror.sync(tree: SyncTree.tree.leavingOut(["album", "show cover"]))
        let dates = try mirror.read { try $0.sinceRecords().filter { $0.value.since != nil }.keys }
        #expect(dates.contains(.artwork))
        #expect(Set(dates).isDisjoint(with: [.album, .show]))
        #expect(try mirror.read { try $0.loop(LoopRecord.coreID)?.cursor } == nil)
    }

    @Test func theOperationsOfAStepAreListedWithoutSendingThem() async throws {
        let fixture = try StepFixture()
        let tree = SyncTree.partner { SyncTree.artworks() }
        #expect(tree.nodes.map(\.name) == ["Sync", "artwork", "image"])
        let step = try #require(tree.step("artwork", as: ObjectStep<Pictures>.self))
        let lines = try step.lines(expanding: PartnerID("p"), in: fixture.context("artwork"))
        #expect(lines == ["GET /partner/p/artworks?ids=1&size=all"])
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func aPausedSyncContinuesWhenItIsResumed() async throws {
        let mirror = try TestMirror(partner), monitor = SyncMonitor()
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        partner.change { state in
            state.during["GET /partner/p/artworks?ids=1&size=all"] = {
                monitor.pause()
                begin.yield()
            }
        }
        async let summary = mirror.sync(monitor: monitor)
        for await _ in began { break }
        while !monitor.isAtRest { await Task.yield() }
        #expect(monitor.isPaused)
        #expect(!partner.takeRequests().contains { $0.contains("/artwork/") })
        monitor.resume()
        #expect(try await summary.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func anAppsHooksRunNearerToTheTreeThanTheStandardHooks() async throws {
        let lines = Mutex<[String]>([]), mirror = try TestMirror(partner)
        func hook(_ name: String) -> SyncHook {
            SyncHook(name) { context in
                let artworks = try context.store.serverCount(.artwork)
                lines.withLock { $0.append("before \(name) \(context.run) \(artworks)") }
            } after: { context, summary in
                let artworks = try context.store.serverCount(.artwork)
                lines.withLock { $0.append("after \(name) \(summary.outcome) \(artworks)") }
                if name == "b" { throw StoreError(.unexpected, "b can't end.") }
            }
        }
        let summary = try await mirror.sync(hooks: [hook("a"), hook("b")])
        #expect(
            lines.withLock { $0 } == [
                "before a 1 0", "before b 1 0", "after b complete 2", "after a complete 2",
            ])
        #expect(summary.outcome == .complete)
        #expect(summary.problems.map(\.message) == ["b can't end."])
    }
}

extension TestMirror {
    fileprivate func picture() throws -> StoredFile? {
        try read { try $0.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?.file }
    }
}
