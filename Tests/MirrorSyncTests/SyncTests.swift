import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Syncing from a partner's server", .fewAtATime)
struct SyncTests {
    let partner = FakePartner { state in
        state.artist("x")
        state.artwork("a", artist: "x", image: "i")
        state.artwork("b", artist: "x")
        state.artwork("c", artist: "y")
        state.album("m", ["b", "a"])
        state.show("s", ["a", "missing"])
        state.files["/artwork/a/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    }

    @Test func aFirstSyncStoresObjectsMembershipsGhostsAndFiles() async throws {
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(summary.objects["artwork"] == SyncSummary.Count(listed: 3, created: 3))
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
        #expect(try mirror.ghosts(.artist) == ["y"])
        #expect(try mirror.ghosts(.artwork) == ["missing"])
        let (members, show, picture) = try mirror.read { store in
            (
                try store.members(of: Owner(.album, "m")), try store.members(of: Owner(.show, "s")),
                try store.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?.file
            )
        }
        #expect(members == ["b", "a"])
        #expect(show == ["a", "missing"])
        #expect(picture?.size == 7)
        #expect(picture?.path.hasSuffix(".jpg") == true)
    }

    @Test func aSyncOfAnUnchangedCatalogueWritesNoObject() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        _ = partner.takeRequests()
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(!summary.hasChanges)
        #expect(summary.objects["artwork"] == SyncSummary.Count(listed: 3, unchanged: 3))
        // Without validators every object is requested. All answers but those without an ETag are 304.
        #expect(summary.requests.notModified >= summary.requests.sent - 5)
        #expect(!partner.takeRequests().contains { $0.contains("larger.jpg") })
    }

    @Test func withValidatorsAnUnchangedObjectCostsNoRequest() async throws {
        partner.change { $0.extensions = ["validators"] }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        _ = partner.takeRequests()
        let summary = try await mirror.sync()
        let requests = partner.takeRequests()
        #expect(!requests.contains { $0.contains("/artwork/") })
        #expect(summary.vouched >= 3)
        #expect(summary.outcome == .complete)
    }

    @Test func aListWithoutTheAnnouncedValidatorsIsReadAsPlainIDs() async throws {
        partner.change { state in
            state.extensions = ["validators"]
            state.overrides["/partner/p/artworks?ids=1&size=all&validators=1"] = .text(#"["a","b","c"]"#)
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
    }

    @Test func aSyncReportsExactlyTheChangesOfTheCatalogue() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.artwork("b", title: "Renamed", artist: "x")
            state.artwork("d")
            state.remove(.artwork, "c")
            state.album("m", ["d", "b"])
        }
        let summary = try await mirror.sync()
        #expect(
            summary.objects["artwork"]
                == SyncSummary.Count(listed: 3, created: 1, updated: 1, unchanged: 1, deleted: 1))
        #expect(summary.objects["album"] == SyncSummary.Count(listed: 1, updated: 1))
        #expect(try mirror.ids(.artwork) == ["a", "b", "d"])
        #expect(try mirror.ghosts(.artist) == [])
    }

    @Test func aSynchronousSyncSendsItsRequestsInAFixedOrder() async throws {
        let first = try TestMirror(partner)
        try await first.sync()
        let order = partner.takeRequests()
        let second = try TestMirror(partner)
        try await second.sync()
        #expect(partner.takeRequests() == order)
        #expect(order.prefix(2) == ["GET ", "GET /partner/p/all"])
        let artwork = order.firstIndex(of: "GET /artwork/a"),
            picture = order.firstIndex { $0.contains("larger.jpg") }
        let next = order.firstIndex(of: "GET /artwork/b")
        #expect(artwork! < picture! && picture! < next!, "depth first: a picture follows its artwork")
    }

    @Test func aConcurrentSyncHasTheSameResultAsASynchronousOne() async throws {
        let synchronous = try TestMirror(partner), concurrent = try TestMirror(partner)
        let one = try await synchronous.sync()
        let other = try await concurrent.sync { $0.synchronous = false }
        #expect(one.objects == other.objects)
        #expect(try synchronous.ids(.artwork) == concurrent.ids(.artwork))
    }
}
