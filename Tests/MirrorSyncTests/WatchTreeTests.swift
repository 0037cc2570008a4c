import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import OperationTree
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A watch with an app's tree and hooks", .fewAtATime)
struct WatchTreeTests {
    @Test func aFileOfAPagePassesThroughTheAppsNodes() async throws {
        let step = ThumbnailStep()
        let pictures = SyncTree.pictures { Node("thumbnail", step, lane: .media) }
        let tree = SyncTree.partner {
            SyncTree.details
            SyncTree.locations
            SyncTree.artists
            SyncTree.artworks(pictures: pictures)
            SyncTree.shows(pictures: pictures)
            SyncTree.editedAlbums
        }
        let scenario = try WatchScenario(tree: tree)
        scenario.begin()
        #expect(scenario.watch.status.way == .events)
        #expect(step.made.files.withLock { $0 } == [])
        scenario.change { state in
            state.files["/artwork/c/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]
            state.artwork("c", image: "i")
            state.tell("artworks", "c", 1)
        }
        scenario.tick()
        #expect(try scenario.cursor() == "L-1")
        #expect(await scenario.settle { step.made.files.withLock { $0 } == ["artwork c i larger 9"] })
        #expect(scenario.problems.isEmpty)
    }

    /// A page may report objects of kinds that the tree leaves out. If the cursor moved past it, they would never be fetched.
    @Test func aWatchOfAnIncompleteTreePollsAndDoesNotMoveTheCursor() async throws {
        let partner = FakePartner.withEvents { $0.album("m", ["a"]) }, mirror = try TestMirror(partner)
        try await mirror.sync()
        let tree = SyncTree.tree.leavingOut(["album"])
        let scenario = try WatchScenario(partner, mirror: mirror, tree: tree)
        let cursor = try #require(try scenario.cursor())
        scenario.begin()
        #expect(scenario.watch.status.way == .since)
        scenario.change { state in
            state.artwork("a", title: "Newer", artist: "x")
            state.touch("artworks", "a", at: "2026-11-21T10:00:00Z")
            state.tell("artworks", "a")
            state.remove(.album, "m")
            state.tell("albums", "m", 0)
        }
        scenario.pass(.seconds(300))
        #expect(try scenario.title("a") == "Newer")
        #expect(try mirror.ids(.album) == ["m"])
        #expect(try scenario.cursor() == cursor)
        #expect(scenario.pages.isEmpty)
    }

    @Test func aWatchCallsHooksAroundSyncsButNotAroundPages() async throws {
        let lines = Mutex<[String]>([])
        let hook = SyncHook("note") { context in
            lines.withLock { $0.append("before \(context.command)") }
        } after: { _, summary in
            lines.withLock { $0.append("after \(summary.outcome)") }
        }
        let scenario = try WatchScenario(interval: .seconds(600), hooks: [hook])
        scenario.begin()
        let one = ["before sync", "after complete"]
        #expect(lines.withLock { $0 } == one)
        scenario.change { state in
            state.artwork("b", title: "Newer")
            state.tell("artworks", "b")
        }
        scenario.tick()
        #expect(try scenario.title("b") == "Newer")
        #expect(lines.withLock { $0 } == one)
        // The daily sync.
        scenario.pass(.seconds(25 * 3_600))
        #expect(lines.withLock { $0 } == one + one)
    }
}
