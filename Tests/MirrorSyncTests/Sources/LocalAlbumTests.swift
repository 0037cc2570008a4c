import Catalogue
import MirrorStore
import Testing

@testable import MirrorSync

@Suite("Albums in a mirror of a museum", .limitedConcurrency) struct LocalAlbumTests {
    @Test func `albums stay in the mirror, and no sync pushes them`() async throws {
        let museum = try MuseumMirror(.met)
        try await museum.sync { $0.media = false }
        let store = try CatalogueStore.open(at: museum.mirror.mirror.database)
        let editor = try AlbumEditor(store)
        #expect(!editor.pushesEdits && !editor.isCatalogue)
        let album = try editor.create(AlbumChange(name: "Chairs"))
        #expect(try editor.set("1", in: album, present: true))
        #expect(try !editor.isOnServer(album))
        try store.close()
        let plan = try #require(await museum.mirror.plan { $0.media = false }.plan)
        #expect(plan.isExact && !plan.hasChanges)
        let summary = try await museum.sync { $0.media = false }
        #expect(summary.outcome == .complete && !summary.hasChanges)
        let exchanges = museum.mirror.network.exchanges
        #expect(exchanges.allSatisfy { $0.status == 200 })
        #expect(try museum.mirror.ids(.album) == [album])
    }
}
