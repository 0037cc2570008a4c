import Catalogue
import MirrorHTTP
import MirrorServer
import MirrorStore
import MirrorSync
import MirrorTesting
import OperationTree
import Testing

@testable import MirrorCLI

@Suite("Syncs of the built-in catalogue") struct DemoTreeTests {
    /// Nodes that have no items. They only read lists.
    private static let listReaders: Set = ["location artworks", "show artworks", "album artworks"]

    @Test func twoSyncsOfTheDemoWithAnAlbumEditBetweenThemUseEveryNodeOfTheTree() async throws {
        let home = try TemporaryHome()
        let folder = try home.mirror("demo")
        let first = try await sync(folder)
        try editAlbums(of: folder)
        let second = try await sync(folder)
        for node in SyncTree.tree.nodes {
            let counts = [first, second].compactMap { $0[node.name] }
            let lists = Self.listReaders.contains(node.name) ? counts.reduce(0) { $0 + $1.completeLists } : 0
            #expect(counts.reduce(lists) { $0 + $1.done } > 0, "\(node.name) did nothing")
            #expect(counts.allSatisfy { $0.failed == 0 && $0.incompleteLists == 0 }, "\(node.name)")
        }
        try expectResults(in: folder)
    }

    /// Runs the sync of `mirror sync demo` in this process, with a new server.
    ///
    /// - Returns: The counts of each node.
    private func sync(_ folder: MirrorFolder) async throws -> [String: NodeCounts] {
        let monitor = SyncMonitor()
        // A debug build draws slowly. Different bytes for each picture are enough for this test.
        let server = DemoServer(draw: { image, format, _ in
            [0xFF, 0xD8, 0xFF] + Array(repeating: Array("\(image) \(format)".utf8), count: 200).joined()
        })
        let summary = try await server.whileRunning { base in
            try await Sync(partner: folder.name, folder: folder, base: base) { base, cache in
                try InterceptableSession(
                    base: base, transport: CurlTransport(.init(addresses: .testing)), cache: cache,
                    interceptors: .standard())
            }.run(monitor)
        }
        #expect(summary.outcome == .complete, "\(summary.problems)")
        return try #require(monitor.snapshot).counts
    }

    /// Makes an album, changes one, and deletes one.
    private func editAlbums(of folder: MirrorFolder) throws {
        let store = try folder.store()
        defer { try? store.close() }
        let editor = try AlbumEditor(store)
        let made = try editor.create(AlbumChange(name: "Seen today"))
        #expect(try editor.set("the-night-watch", in: made, present: true))
        #expect(try editor.change("highlights", by: AlbumChange(name: "The Best")))
        #expect(try editor.delete("works-on-paper"))
        #expect(try store.pendingAlbums().count == 2 && store.pendingAlbumDeletions().count == 1)
    }

    /// Checks the results of nodes whose counts don't show what they did.
    private func expectResults(in folder: MirrorFolder) throws {
        let store = try folder.store()
        defer { try? store.close() }
        #expect(try store.fetchAll(User.self).map(\.id) == ["guest"])
        #expect(try store.flagsRefusedBy == nil)
        #expect(try store.pendingAlbums().isEmpty && store.pendingAlbumDeletions().isEmpty)
        let albums = try store.fetchAll(Album.self)
        #expect(
            albums.compactMap(\.name).sorted()
                == ["Condition Checks 2027", "Painted Together", "Seen today", "The Best"])
        let made = try #require(albums.first { $0.name == "Seen today" })
        #expect(try store.isAlbumOnServer(made.id))
        #expect(try store.artworks(of: Owner(.album, made.id)).map(\.id) == ["the-night-watch"])
        for kind in [Kind.show, .location] {
            let owners = try store.snapshot { try $0.ids(kind) }
            let members = try owners.flatMap { try store.artworks(of: Owner(kind, $0)) }
            #expect(!members.isEmpty, "\(kind) artworks")
        }
    }
}
