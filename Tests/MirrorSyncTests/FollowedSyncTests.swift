import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Following a sync's commits in an app", .fewAtATime) struct FollowedSyncTests {
    private let partner = FakePartner { state in
        for id in ["a", "b"] { state.artwork(id) }
    }

    @Test func aSyncsCommitsAreYieldedToAnAppsOpenStore() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let store = try mirror.mirror.store()
        let commits = try store.changes { _ in throw CancellationError() }
        partner.change { state in
            state.artwork("c")
            state.lists["/partner/p/artworks"] = ["b", "c"]
        }
        #expect(try await mirror.sync().outcome == .complete)

        var changed: [CommittedChange] = []
        for try await commit in commits {
            #expect(!commit.isGap)
            changed += commit.changes
        }
        let artworks = changed.filter { $0.kind == .artwork }
        #expect(artworks.map(\.id) == ["c", "a"] && artworks.map(\.action) == [.create, .delete])
        #expect(try changed.allSatisfy { try $0.run == store.runs(limit: 1).first?.run })
        #expect(try store.fetchAll(Artwork.self).map(\.id).sorted() == ["b", "c"])
        try store.close()
    }

    @Test func anAlbumCreatedInAnAppsStoreIsPushedByTheNextSync() async throws {
        partner.change { $0.albums = FakePartner.Albums() }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let store = try mirror.mirror.store(editing: true)
        let commits = try store.changes { _ in throw CancellationError() }
        let album = try AlbumEditor(store).create(AlbumChange(name: "For the fair"))
        var changed: [CommittedChange] = []
        for try await commit in commits { changed += commit.changes }
        #expect(changed.map(\.id) == [album] && changed.map(\.run) == [nil])
        #expect(try store.pendingEdits() == (1, 0))
        try await mirror.sync()
        #expect(try store.pendingEdits() == (0, 0) && store.refusedEdits().isEmpty)
        #expect(try store.fetchAll(Album.self).map(\.name) == ["For the fair"])
        try store.close()
    }
}
