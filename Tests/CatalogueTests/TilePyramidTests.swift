import Testing

@testable import Catalogue

@Suite struct TilePyramidTests {
    private func pyramid(
        _ width: Int, _ height: Int, size: Int = 2, overlap: Int? = nil, base: String = "a/tiles"
    ) -> TilePyramid? {
        TilePyramid(base: base, width: width, height: height, size: size, overlap: overlap, format: nil)
    }

    @Test func tileLevelsHalveThePictureDownToOnePixel() throws {
        let tiles = try #require(pyramid(3, 2))
        #expect(tiles.lastLevel == 2 && tiles.count == 4)
        #expect(tiles.tiles.map(\.format) == ["tile/0/0_0", "tile/1/0_0", "tile/2/0_0", "tile/2/1_0"])
        #expect(tiles.tiles.allSatisfy(tiles.contains))
        #expect(!tiles.contains(ImageTile(level: 3, column: 0, row: 0)))
        #expect(!tiles.contains(ImageTile(level: 2, column: 2, row: 0)))
        #expect(pyramid(1, 1)?.count == 1)
    }

    @Test func tileAddressesContainBaseLevelColumnAndRow() throws {
        let tile = ImageTile(level: 1, column: 2, row: 3)
        #expect(try #require(pyramid(9, 9)).url(of: tile) == "a/tiles/1/2_3.jpg")
        #expect(
            try #require(pyramid(9, 9, base: "https://x.test/t/?k=1#f")).url(of: tile)
                == "https://x.test/t/1/2_3.jpg?k=1")
        let hostile = TilePyramid(base: "t", width: 9, height: 9, size: 2, overlap: nil, format: "../a?b")
        #expect(try #require(hostile).url(of: tile).hasSuffix("/1/2_3.\(PercentEncoding.encode("../a?b"))"))
    }

    @Test func aTileExtendsOverItsNeighboursByTheOverlap() throws {
        let tiles = try #require(pyramid(5, 3, size: 2, overlap: 1))
        #expect(tiles.area(of: ImageTile(level: 3, column: 0, row: 0)) == (0, 0, 3, 3))
        #expect(tiles.area(of: ImageTile(level: 3, column: 1, row: 1)) == (1, 1, 4, 2))
        #expect(tiles.area(of: ImageTile(level: 3, column: 2, row: 0)) == (3, 0, 2, 3))
    }

    @Test func tileFieldsAreUnusableOnlyIfThePictureHasTiles() {
        func isUnusable(_ base: String?, _ width: Int?, _ size: Int?) -> Bool {
            TilePyramid.isUnusable(base: base, width: width, height: 2, size: size)
        }
        #expect(isUnusable("t", 3, 0) && isUnusable("t", 3, -1) && isUnusable("t", 3, nil))
        #expect(isUnusable("t", .max, 2) && !isUnusable("t", 3, 2))
        #expect(!isUnusable(nil, 3, 2) && !isUnusable(" ", 3, 0))
        #expect(!TilePyramid.isUnusable(base: "t", width: nil, height: nil, size: nil))
    }

    @Test func aPyramidNeedsSizes() {
        #expect(pyramid(0, 3) == nil && pyramid(3, 3, size: 0) == nil && pyramid(3, 3, base: " ") == nil)
        #expect(pyramid(.max, 3) == nil)
    }

    @Test(arguments: [
        "larger", "tile/1", "tile/1/2", "tile/01/2_3", "tile/1/-2_3", "tile/1/2_3/4", "tile/1/+2_3",
    ])
    func otherFormatsAreNotReadAsTiles(format: String) { #expect(ImageTile(format: format) == nil) }

    @Test func theFormatOfATileIsReadBackAsTheTile() {
        let tile = ImageTile(level: 12, column: 3, row: 4)
        #expect(tile.format == "tile/12/3_4" && ImageTile(format: tile.format) == tile)
    }

    @Test func tilesAreServedBesideTheirPictureAndMappedBackByAnExport() throws {
        let text =
            #"{"id":"w","images":[{"id":"i","image_url":"https://x.test/i/larger.jpg","tile_size":2,"tile_base_url":"https://x.test/t"}]}"#
        let json = try #require(JSONValue(parsing: text).objectValue)
        let served = try #require(ServingForm.artwork(json))
        #expect(served.canonicalText.contains(#""tile_base_url":"artwork/w/image/i/tiles""#))
        #expect(ServingForm.artwork(served) == nil)
        let source = try #require(JSONValue(parsing: #"{"id":"i","tile_size":2}"#).objectValue)
        let image = ImageMapping.image(fromCatalogue: source, position: 1) {
            FileReference.picture(artwork: "w", image: $0)
        }
        #expect(image["tile_base_url"] == "artwork/w/image/i/tiles")
        #expect(
            ImageMapping.image(toCatalogue: image, position: 1).canonicalText == source.canonicalText)
    }
}
