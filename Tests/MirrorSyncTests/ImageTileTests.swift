import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Deep-zoom tiles", .fewAtATime) struct ImageTileTests {
    private let partner = FakePartner { state in
        state.artwork("a", image: "i")
        state.objects["/artwork/a"] = Self.artwork(tileSize: 2)
        state.files["/artwork/a/image/i/larger.jpg"] = Self.jpeg(0)
        for (index, tile) in ["0/0_0", "1/0_0", "2/0_0", "2/1_0"].enumerated() {
            state.files["/t/\(tile).jpg"] = Self.jpeg(UInt8(index + 1))
        }
    }

    private static func jpeg(_ number: UInt8) -> [UInt8] { [0xFF, 0xD8, 0xFF, 0xE0, number, 2, 3] }

    private static func artwork(tileSize: Int) -> String {
        #"{"id":"a","title":"A","images":[{"id":"i","image_url":"artwork/a/image/i/larger.jpg","image_versions":["larger"],"max_tiled_width":3,"max_tiled_height":2,"tile_size":\#(tileSize),"tile_base_url":"t","tile_format":"jpg"}]}"#
    }

    private func tiles(_ mirror: TestMirror) throws -> [String] {
        try mirror.read {
            try $0.tileFiles(of: Owner(.artwork, "a"), role: .picture, image: "i").keys.sorted()
        }
    }

    private func sync(
        _ mirror: TestMirror, tiles: Bool = true
    ) async throws -> (summary: SyncSummary, requested: Int) {
        _ = partner.takeRequests()
        let summary = try await mirror.sync { $0.tiles = tiles }
        return (summary, partner.takeRequests().count { $0.hasPrefix("GET /t/") })
    }

    @Test(arguments: [[], ["validators"]])
    func everyTileIsFetchedOnce(extensions: [String]) async throws {
        partner.change { ($0.extensions, $0.hasListETags) = (extensions, !extensions.isEmpty) }
        let mirror = try TestMirror(partner)
        let first = try await sync(mirror)
        #expect(first.summary.outcome == .complete, "\(first.summary.problems)")
        #expect(first.requested == 4 && first.summary.objects["image"]?.created == 1)
        #expect(first.summary.objects["tile"]?.created == 4)
        #expect(try tiles(mirror) == ["tile/0/0_0", "tile/1/0_0", "tile/2/0_0", "tile/2/1_0"])
        #expect(try mirror.read { try $0.fileTotals().files } == 5)
        let second = try await sync(mirror)
        #expect(second.requested == 0 && second.summary.outcome == .complete)
        #expect(second.summary.objects["tile"]?.unchanged == (extensions.isEmpty ? 4 : 0))
    }

    @Test func tilesComeToAMirrorThatHasThePicturesAlready() async throws {
        partner.change { ($0.extensions, $0.hasListETags) = (["validators"], true) }
        let mirror = try TestMirror(partner)
        #expect(try await sync(mirror, tiles: false).requested == 0)
        #expect(try tiles(mirror).isEmpty)
        #expect(try await sync(mirror).requested == 4)
        #expect(try tiles(mirror).count == 4)
    }

    @Test func aMissingTileIsCountedAndDoesNotFailTheSync() async throws {
        partner.change { $0.files["/t/2/1_0.jpg"] = nil }
        let mirror = try TestMirror(partner)
        let first = try await sync(mirror)
        #expect(first.summary.outcome == .complete && first.summary.unavailable == UnavailableFiles(tiles: 1))
        #expect(try await sync(mirror).requested == 0)
    }

    @Test func aChangedPictureLosesTheTilesThatItNoLongerHas() async throws {
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        partner.change {
            $0.objects["/artwork/a"] = Self.artwork(tileSize: 4)
            $0.date = "Sat, 21 Nov 2026 10:00:05 GMT"
        }
        let second = try await sync(mirror)
        #expect(second.summary.outcome == .complete && second.requested == 3)
        #expect(try tiles(mirror) == ["tile/0/0_0", "tile/1/0_0", "tile/2/0_0"])
    }

    @Test func theTreeHasTilesUnderImageAndPicturesElsewhereStay() {
        #expect(SyncTree.tree.node(named: "image tiles") == nil)
        #expect(SyncTree.tiledTree.node(named: "image tiles")?.parents == ["image"])
        #expect(SyncTree.tiledTree.nodes.count == SyncTree.tree.nodes.count + 1)
    }
}
