import Testing

@testable import MirrorServer

@Suite("The size of a picture on the page") struct PictureBoxTests {
    @Test(arguments: [
        (435, 151), (663, 230), (969, 336), (836, 290), (834, 289), (926, 321), (1015, 352), (391, 136),
        (395, 137), (738, 256), (540, 187), (462, 160), (761, 264), (438, 152), (458, 159), (476, 165),
        (750, 260), (1224, 424), (427, 148), (777, 269), (406, 141), (888, 308), (885, 307), (404, 140),
        (780, 270), (628, 218), (498, 173), (717, 249), (786, 272), (719, 249), (804, 279), (803, 278),
        (493, 171),
    ])
    func `A picture in a grid has the width of the design`(pixelWidth: Int, width: Int) throws {
        let box = try #require(PictureBox(pixelWidth: pixelWidth, pixelHeight: 600, in: .grid))
        #expect(box.width == width && box.height == 208)
    }

    @Test(arguments: [
        (PictureBox.Place.few, 717, 600, 325, 272), (.few, 786, 600, 356, 272), (.albums, 969, 600, 291, 180),
        (.albums, 761, 600, 228, 180), (.albums, 1015, 600, 305, 180), (.views, 900, 600, 360, 240),
        (.views, 1080, 600, 432, 240), (.views, 600, 750, 192, 240), (.work, 885, 600, 1086, 736),
    ])
    func `A picture beside a grid has the size of the design`(
        place: PictureBox.Place, pixelWidth: Int, pixelHeight: Int, width: Int, height: Int
    ) throws {
        let box = try #require(PictureBox(pixelWidth: pixelWidth, pixelHeight: pixelHeight, in: place))
        #expect(box.width == width && box.height == height)
    }

    @Test(
        arguments: [
            (30_000, 30_000), (30_000, 10), (10, 30_000), (1, 1), (65_535, 1), (1, 65_535), (4000, 300),
            (300, 4000),
        ], PictureBox.Place.allCases)
    func `Extreme pictures stay within bounds`(pixels: (Int, Int), place: PictureBox.Place) throws {
        let box = try #require(PictureBox(pixelWidth: pixels.0, pixelHeight: pixels.1, in: place))
        #expect((1...place.maximumWidth).contains(box.width))
        #expect((1...place.height).contains(box.height))
    }

    @Test(arguments: PictureBox.Place.allCases)
    func `The place that is kept has the picture's ratio, so that nothing moves when it is loaded`(
        place: PictureBox.Place
    ) throws {
        for width in stride(from: 40, through: 2400, by: 7) {
            let box = try #require(PictureBox(pixelWidth: width, pixelHeight: 600, in: place))
            let loaded = Double(box.width) * 600 / Double(width)
            #expect(abs(loaded - Double(box.height)) < 3, "\(width) × 600 at \(box)")
        }
    }

    @Test(arguments: [(0, 10), (10, 0), (-1, 10)])
    func `A picture of unknown size has no place`(width: Int, height: Int) {
        #expect(PictureBox(pixelWidth: width, pixelHeight: height, in: .grid) == nil)
    }

    @Test func `A small picture is enlarged by at most a quarter on the work's own page`() throws {
        let box = try #require(PictureBox(pixelWidth: 200, pixelHeight: 100, in: .work))
        #expect(box.width == 250 && box.height == 125)
    }

    @Test(arguments: [
        (885, 600, "r14"), (1, 1, "r10"), (14, 10, "r14"), (149, 100, "r14"), (15, 10, "r15"),
        (11, 10, "r11"),
        (7, 10, "r7"), (204, 100, "r20"), (249, 100, "r20"), (25, 10, "r25"), (3, 1, "r30"), (39, 10, "r30"),
        (4, 1, "r40"), (100, 1, "r40"), (3, 10, "r3"), (1, 10, "r1"), (29, 100, "r2"),
    ])
    func `The class of a ratio is rounded down to one of the style sheet`(
        width: Int, height: Int, name: String
    ) {
        #expect(PictureBox(pixelWidth: width, pixelHeight: height, in: .work)?.ratioClass == name)
    }
}
