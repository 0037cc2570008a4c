import Testing

@testable import MirrorDemo

@Suite struct PictureTests {
    static let sizes: [(format: String, ratio: Double, width: Int, height: Int)] = [
        ("square", 1.5, 200, 200), ("square", 0.6, 200, 200), ("medium", 1.6, 320, 200),
        ("medium", 0.5, 160, 320),
        ("larger", 4.0 / 3, 640, 480), ("larger", 1, 640, 640), ("normalized", 2, 1024, 512),
        ("unheard-of", 1, 640, 640),
        ("medium", 100, 320, 20),
    ]

    @Test(arguments: sizes)
    func drawnFormatsHaveTheirSizesAndKeepTheAspectRatio(
        _ size: (format: String, ratio: Double, width: Int, height: Int)
    ) throws {
        let file = try JPEGFile(Picture.jpeg(id: "sizes", format: size.format, aspectRatio: size.ratio))
        #expect(file.width == size.width && file.height == size.height)
    }

    @Test func drawingAPictureTwiceGivesTheSameBytes() {
        let one = Picture.jpeg(id: "same", format: "medium", aspectRatio: 1.3)
        #expect(one == Picture.jpeg(id: "same", format: "medium", aspectRatio: 1.3))
    }

    /// The ETags of drawn pictures are equal on all mirrors of a chain, so the bytes must not change by accident between
    /// builds, platforms or releases. Change these digests only if the drawing changes on purpose.
    @Test func drawnPicturesAreTheSameOnEveryPlatform() {
        let bytes = Picture.jpeg(id: "golden", format: "square", aspectRatio: 1.25)
        #expect(PictureSeed.hash(bytes) == 0x2741_ae32_5ef5_0941)
    }

    @Test func theSeedOfAPictureIsTheFNV1aHashOfItsId() {
        #expect(PictureSeed.hash([]) == 0xcbf2_9ce4_8422_2325)
        #expect(PictureSeed.hash("foobar".utf8) == 0x8594_4171_f739_67e8)
    }

    @Test func differentIdsGiveDifferentPictures() {
        let pictures = (0..<12).map { Picture.jpeg(id: "id-\($0)", format: "square", aspectRatio: 1) }
        #expect(Set(pictures).count == 12)
    }

    @Test(arguments: [nil, 0, -1, Double.nan, Double.infinity])
    func theIdChoosesTheAspectRatioIfNoneIsUsable(_ ratio: Double?) throws {
        let file = try JPEGFile(Picture.jpeg(id: "free", format: "medium", aspectRatio: ratio))
        #expect(max(file.width, file.height) == 320 && min(file.width, file.height) >= 200)
    }

    @Test(arguments: ["../../etc/passwd", "", "a/b?c#d", "🎨", String(repeating: "x", count: 10_000)])
    func aPictureIsDrawnForAnyId(_ id: String) throws {
        #expect(try JPEGFile(Picture.jpeg(id: id, format: "square", aspectRatio: 1)).width == 200)
    }

    /// Checks at all aspect ratios that the decoded samples of a picture are not uniform.
    @Test(arguments: [0.0625, 0.2, 0.75, 1, 1.5, 5, 16])
    func picturesOfEveryAspectRatioAreNotUniform(_ ratio: Double) throws {
        for id in ["one", "two", "three", "four"] {
            let levels = try JPEGFile(Picture.jpeg(id: id, format: "medium", aspectRatio: ratio))
                .luminanceLevels()
            let mean = levels.reduce(0, +) / levels.count
            #expect((25...230).contains(mean))
            #expect((levels.max() ?? 0) - (levels.min() ?? 0) > 60)
        }
    }

    /// Compares two formats of a picture by their averages over a coarse grid.
    @Test(arguments: ["one", "two", "three"])
    func allFormatsOfAnImageShowTheSamePicture(_ id: String) throws {
        let small = try JPEGFile(Picture.jpeg(id: id, format: "medium", aspectRatio: 1))
        let large = try JPEGFile(Picture.jpeg(id: id, format: "larger", aspectRatio: 1))
        let other = try JPEGFile(Picture.jpeg(id: id + "!", format: "larger", aspectRatio: 1))
        let same = try distance(small.grid(10), large.grid(10))
        #expect(same < 6)
        #expect(try distance(small.grid(10), other.grid(10)) > 2 * same)
    }

    private func distance(_ one: [Int], _ other: [Int]) -> Double {
        Double(zip(one, other).map { abs($0 - $1) }.reduce(0, +)) / Double(one.count)
    }
}
