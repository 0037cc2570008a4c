import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Deep-zoom tiles", .limitedConcurrency) struct ImageTileTests {
    private let partner = FakePartner { state in
        state.artwork("a", image: "i")
        state.objects["/artwork/a"] = Self.artwork(tileSize: 2)
        state.files["/artwork/a/image/i/larger.jpg"] = Self.jpeg(0)
        for (index, tile) in ["0/0_0", "1/0_0", "2/0_0", "2/1_0"].enumerated() {
            state.files["/t/\(tile).jpg"] = Self.jpeg(UInt8(index + 1))
        }
    }

    private static func jpeg(_ number: UInt8) -> [UInt8] { [0xFF, 0xD8, 0xFF, 0xE0, number, 2, 3] }

    private static func artwork(
        _ id: String = "a", tileSize: Any, width: Any = 3, base: String = "t",
        formats: String = #"["larger"]"#
    ) -> String {
        #"{"id":"\#(id)","title":"A","images":[{"id":"i","image_url":"artwork/\#(id)/image/i/larger.jpg","image_versions":\#(formats),"max_tiled_width":\#(width),"max_tiled_height":2,"tile_size":\#(tileSize),"tile_base_url":"\#(base)","tile_format":"jpg"}]}"#
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
    func eachTileIsFetchedOnce(extensions: [String]) async throws {
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

    @Test func tilesAreFetchedForPicturesThatAreAlreadyStored() async throws {
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

    @Test func tilesThatAChangedPictureNoLongerHasAreRemoved() async throws {
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

    // MARK: - Switched off

    /// The server has an ETag for each file, so only its answers tell which files changed.
    @Test func aDryRunIsNotExactAboutTheFilesOfAChangedTiledPicture() async throws {
        partner.change { ($0.extensions, $0.hasListETags) = (["validators"], true) }
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        partner.change {
            $0.objects["/artwork/a"] = Self.artwork(tileSize: 4)
            $0.date = "Sat, 21 Nov 2026 10:00:05 GMT"
        }
        let plan = try #require(await mirror.plan { $0.tiles = true }.summary.plan)
        let second = try await sync(mirror)
        #expect(!plan.isExact && plan.hasChanges)
        #expect(plan.requests.rounded == second.summary.requests.sent)
        let tiles = try #require(plan.files["tile"])
        #expect(tiles.value - tiles.margin == 0 && tiles.value + tiles.margin == Double(second.requested))
    }

    @Test func tilesStayAfterTheOptionIsSwitchedOffUntilTheirPictureChanges() async throws {
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        #expect(try await sync(mirror, tiles: false).requested == 0)
        #expect(try tiles(mirror).count == 4)
        change(tileSize: 4)
        #expect(try await sync(mirror, tiles: false).summary.outcome == .complete)
        #expect(try tiles(mirror).isEmpty)
        #expect(try mirror.file(of: "a").hasSuffix(".jpg"))
    }

    @Test func aRunWithoutTilesRemovesTheTilesOfAPictureThatChanged() async throws {
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        change(tileSize: 4)
        #expect(try await sync(mirror, tiles: false).requested == 0)
        #expect(try tiles(mirror).isEmpty)
    }

    private func change(tileSize: Int) {
        partner.change {
            $0.objects["/artwork/a"] = Self.artwork(tileSize: tileSize)
            $0.date = "Sat, 21 Nov 2026 10:00:05 GMT"
        }
    }

    // MARK: - Repairs

    private func tile(_ mirror: TestMirror) throws -> String? {
        let files = try mirror.read {
            try $0.tileFiles(of: Owner(.artwork, "a"), role: .picture, image: "i")
        }
        return try files["tile/2/1_0"]?.file.map(mirror.mirror.files.absolutePath)
    }

    /// With the option `tiles` on or off, and with or without ETags of lists.
    @Test(arguments: [true, false], [[], ["validators"]])
    func aRepairFetchesALostTileAgain(isOn: Bool, extensions: [String]) async throws {
        partner.change { ($0.extensions, $0.hasListETags) = (extensions, !extensions.isEmpty) }
        let mirror = try TestMirror(partner)
        for isOn in [true, isOn] { _ = try await sync(mirror, tiles: isOn) }
        let path = try #require(try tile(mirror))
        try FileManager.default.removeItem(atPath: path)
        _ = partner.takeRequests()
        let (summary, findings) = try await mirror.verify { $0.repair = true }
        #expect(findings == ["found missing tile i"] && summary.outcome == .repaired)
        #expect(partner.takeRequests().filter { $0.hasPrefix("GET /t/") } == ["GET /t/2/1_0.jpg"])
        #expect(try tile(mirror) == path && FileManager.default.fileExists(atPath: path))
        #expect(try mirror.read { try $0.wantedFormats() } == (isOn ? "standard+tiles" : "standard"))
    }

    /// The status is that of the tile's answer; `nil` for a server that has the tile.
    @Test(arguments: [nil, 404, 500]) func aDamagedTileIsMovedAsideOnlyIfTheServerDoesNotHaveIt(
        status: Int?
    ) async throws {
        let mirror = try TestMirror(partner)
        for isOn in [true, false] { _ = try await sync(mirror, tiles: isOn) }
        let path = try #require(try tile(mirror))
        try Data([0xFF, 0xD8, 0xFF, 0xE0, 9, 9, 9]).write(to: URL(filePath: path))
        if let status {
            partner.change { $0.overrides["/t/2/1_0.jpg"] = .text("{}", status: status) }
        }
        let (summary, findings) = try await mirror.verify { ($0.readData, $0.repair) = (.all, true) }
        #expect(findings == ["found digest tile i"] + (status == nil ? [] : ["remains damaged tile i"]))
        #expect(summary.outcome == (status == nil ? .repaired : .findings))
        #expect(try mirror.mirror.files.setAsideFiles().isEmpty == (status != 404))
        #expect(FileManager.default.fileExists(atPath: path) == (status != 404))
    }

    @Test func aRepairFetchesTheFormatsThatTheLastSyncWanted() async throws {
        partner.change {
            $0.objects["/artwork/a"] = Self.artwork(tileSize: 2, formats: #"["medium","larger"]"#)
            $0.files["/artwork/a/image/i/medium.jpg"] = Self.jpeg(9)
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.formats = ["medium"] }
        #expect(try mirror.read { try $0.wantedFormats() } == "medium")
        let file = try mirror.read {
            try $0.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["medium"]?.file
        }
        let path = try mirror.mirror.files.absolutePath(#require(file))
        try FileManager.default.removeItem(atPath: path)
        _ = partner.takeRequests()
        #expect(try await mirror.verify { $0.repair = true }.summary.outcome == .repaired)
        #expect(
            partner.takeRequests().filter { $0.hasSuffix(".jpg") } == ["GET /artwork/a/image/i/medium.jpg"])
        #expect(FileManager.default.fileExists(atPath: path))
    }

    // MARK: - Pictures without tiles, and sizes

    @Test(arguments: ["0", "-1", "2.5", "1e30", "99999999999999999999"])
    func unusableTileFieldsAreReportedOncePerPicture(size: String) async throws {
        partner.change { $0.objects["/artwork/a"] = Self.artwork(tileSize: size) }
        let mirror = try TestMirror(partner)
        let first = try await sync(mirror)
        #expect(first.summary.outcome == .complete && first.requested == 0)
        #expect(first.summary.untiled == 1 && first.summary.objects["image"]?.created == 1)
        #expect(try await sync(mirror, tiles: false).summary.untiled == 0)
    }

    @Test func aPictureWithTooManyTilesGetsNoneAndIsReported() async throws {
        partner.change { $0.objects["/artwork/a"] = Self.artwork(tileSize: 1, width: 40_000) }
        let first = try await sync(try TestMirror(partner))
        #expect(first.summary.outcome == .complete && first.requested == 0 && first.summary.untiled == 1)
    }

    @Test func aDryRunMeasuresASampleOfTilesIfNoneAreStored() async throws {
        let count = 35, each = 4
        partner.change { state in
            (state.extensions, state.hasListETags) = (["validators"], true)
            state.remove(.artwork, "a")
            for number in 0..<count {
                state.artwork("w\(number)", image: "i")
                state.objects["/artwork/w\(number)"] = Self.artwork(
                    "w\(number)", tileSize: 2, base: "t/\(number)")
                state.files["/artwork/w\(number)/image/i/larger.jpg"] = Self.jpeg(UInt8(number))
                for tile in ["0/0_0", "1/0_0", "2/0_0", "2/1_0"] {
                    state.files["/t/\(number)/\(tile).jpg"] = Self.jpeg(200)
                }
            }
        }
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror, tiles: false)
        let plan = try #require(await mirror.plan { $0.tiles = true }.summary.plan)
        #expect(plan.files["tile"]?.rounded == count * each && plan.files["image"]?.rounded == 0)
        #expect(plan.media.rounded == count * each * Self.jpeg(0).count)
        #expect(
            partner.takeRequests().count { $0.hasPrefix("HEAD /t/") } == PlanTally.tileSampleSize)
        #expect(try await sync(mirror).requested == count * each)
    }

    @Test func theTiledTreeDiffersOnlyByTheNodeOfTilesUnderImage() {
        #expect(SyncTree.tree.node(named: "image tiles") == nil)
        #expect(SyncTree.tiledTree.node(named: "image tiles")?.parents == ["image"])
        #expect(SyncTree.tiledTree.nodes.count == SyncTree.tree.nodes.count + 1)
    }
}
