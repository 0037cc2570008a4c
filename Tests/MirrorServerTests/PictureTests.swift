import Crypto
import Testing

@testable import MirrorServer

@Suite struct PictureTests {
    static let sizes: [(format: String, ratio: Double, width: Int, height: Int)] = [
        ("square", 1.5, 200, 200), ("square", 0.6, 200, 200), ("medium", 1.6, 320, 200),
        ("medium", 0.5, 160, 320),
        ("larger", 4.0 / 3, 640, 480), ("larger", 1, 640, 640), ("normalized", 2, 1024, 512),
        ("unheard-of", 1, 640, 640),
        ("medium", 100, 320, 20),
    ]

    @Test(arguments: sizes)
    func formatsHaveTheirSizesAndKeepTheAspectRatio(
        _ size: (format: String, ratio: Double, width: Int, height: Int)
    ) throws {
        let file = try JPEGFile(Picture.jpeg(id: "sizes", format: size.format, aspectRatio: size.ratio))
        #expect(file.width == size.width && file.height == size.height)
    }

    @Test func pictureIsTheSameEveryTime() {
        let one = Picture.jpeg(id: "same", format: "medium", aspectRatio: 1.3)
        #expect(one == Picture.jpeg(id: "same", format: "medium", aspectRatio: 1.3))
    }

    /// Drawn pictures have ETags along a chain of mirrors: their bytes may not change between builds, platforms or releases
    /// without notice. Change these when the drawing changes on purpose.
    @Test func bytesAreTheSameOnEveryPlatform() {
        let bytes = Picture.jpeg(id: "golden", format: "square", aspectRatio: 1.25)
        #expect(SHA256.hash(data: bytes).prefix(8).hexadecimal == "d5a2434d28943cab")
    }

    @Test func differentIdsGiveDifferentPictures() {
        let pictures = (0..<12).map { Picture.jpeg(id: "id-\($0)", format: "square", aspectRatio: 1) }
        #expect(Set(pictures).count == 12)
    }

    @Test(arguments: [nil, 0, -1, Double.nan, Double.infinity])
    func withoutAUsableAspectRatioTheIdChooses(_ ratio: Double?) throws {
        let file = try JPEGFile(Picture.jpeg(id: "free", format: "medium", aspectRatio: ratio))
        #expect(max(file.width, file.height) == 320 && min(file.width, file.height) >= 200)
    }

    @Test(arguments: ["../../etc/passwd", "", "a/b?c#d", "🎨", String(repeating: "x", count: 10_000)])
    func anyIdCanBeDrawn(_ id: String) throws {
        #expect(try JPEGFile(Picture.jpeg(id: id, format: "square", aspectRatio: 1)).width == 200)
    }

    /// Every genre, decoded down to its samples: neither blank nor nearly so.
    @Test(arguments: PictureGenre.allCases)
    func everyGenreShowsSomething(_ genre: PictureGenre) throws {
        let file = try JPEGFile(Picture.jpeg(id: "genre", format: "square", aspectRatio: 1, genre: genre))
        let levels = try file.luminanceLevels()
        #expect(levels.count == 26 * 26)
        let mean = levels.reduce(0, +) / levels.count
        #expect((25...230).contains(mean))
        #expect((levels.max() ?? 0) - (levels.min() ?? 0) > 60)
    }

    /// One composition at every size: averaged over a coarse grid, two formats of a picture agree.
    @Test(arguments: ["one", "two", "three"])
    func formatsOfOneImageShowTheSamePicture(_ id: String) throws {
        let small = try JPEGFile(Picture.jpeg(id: id, format: "medium", aspectRatio: 1, genre: .landscape))
        let large = try JPEGFile(Picture.jpeg(id: id, format: "larger", aspectRatio: 1, genre: .landscape))
        let other = try JPEGFile(
            Picture.jpeg(id: id + "!", format: "larger", aspectRatio: 1, genre: .landscape))
        let same = try distance(small.grid(10), large.grid(10))
        #expect(same < 6)
        #expect(try distance(small.grid(10), other.grid(10)) > 2 * same)
    }

    @Test func sizesAreForetold() throws {
        for format in Picture.Format.allCases {
            let size = Picture.size(format: format, aspectRatio: 1.37)
            let file = try JPEGFile(Picture.jpeg(id: "foretold", format: format.rawValue, aspectRatio: 1.37))
            #expect(size == (file.width, file.height))
        }
    }

    private func distance(_ one: [Int], _ other: [Int]) -> Double {
        Double(zip(one, other).map { abs($0 - $1) }.reduce(0, +)) / Double(one.count)
    }
}
