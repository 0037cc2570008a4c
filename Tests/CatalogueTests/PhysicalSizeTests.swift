import Testing

@testable import Catalogue

/// Texts on dimensions of Walters, MoMA, Tate and the usual forms of other museums.
@Suite struct PhysicalSizeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String, caption: String, depth: String?, diameter: String?
        var testDescription: String { text }
    }

    /// Reads lines of a text, its caption, and a depth and diameter if there are any; `/` is a line break.
    private static func rows(_ table: String) -> [Row] {
        table.split(separator: "\n").map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
            }
            func cell(_ index: Int) -> String? {
                cells.count > index && cells[index] != "-" ? cells[index] : nil
            }
            let text = cells[0].split(separator: " ").map { $0 == "/" ? "\r\n" : String($0) }.joined(
                separator: " ")
            return Row(text: text, caption: cells[1], depth: cell(2), diameter: cell(3))
        }
    }

    private static let plainTexts = rows(
        """
        25.7 × 37.9 cm (horizontal ōban) | 25.7 × 37.9 cm
        About 25 × 37 cm | 25 × 37 cm
        10 1/2 x 14 in. (26.7 x 35.6 cm) | 26.7 × 35.6 cm
        10 1/2 x 14 in. | 26.7 × 35.6 cm
        10½ x 14 in | 26.7 × 35.6 cm
        10-1/2" x 14" | 26.7 × 35.6 cm
        4 x 6 in. (10.2 x 15.2 cm) | 10.2 × 15.2 cm
        90 × 40 cm | 90 × 40 cm
        90 cm × 40 cm | 90 × 40 cm
        25,7 x 37,9 cm | 25.7 × 37.9 cm
        1,200 x 900 mm | 120 × 90 cm
        1.2 x 0.9 m | 120 × 90 cm
        10 by 20 cm | 10 × 20 cm
        2 7/8 x 3 1/4 x 3/8 in. (7.3 x 8.2 x 0.9 cm) | 7.3 × 8.2 cm | 0.9
        16 1/8 x 17 5/16  x 1/16 in. (41 x 44 x 0.1 cm) | 41 × 44 cm | 0.1
        1 3/8 x 5" (3.5 x 12.7cm) | 3.5 × 12.7 cm
        52 1/8 x 6' 5 5/8" (132.4 x 197.3 cm) | 132.4 × 197.3 cm
        52 1/8 x 6' 5 5/8" | 132.4 × 197.2 cm
        6' x 10' | 182.9 × 304.8 cm
        5 x 6 ft. | 152.4 × 182.9 cm
        displayed: 750 x 390 x 240 mm, 15 kg | 75 × 39 cm | 24
        """)

    private static let namedTexts = rows(
        """
        H: 1 3/8 x W: 2 1/2 in. (3.54 x 6.38 cm) | 3.5 × 6.4 cm
        H: 5 × W: 3 7/8 in. (12.7 × 9.8 cm) | 12.7 × 9.8 cm
        W: 3 7/8 x H: 5 in. (9.8 x 12.7 cm) | 12.7 × 9.8 cm
        H: 7/8 x W: 1/4 x D: 1/16 in. (2.22 x 0.71 x 0.23 cm) | 2.2 × 0.7 cm | 0.2
        H: 9/16 x W: 1/16 (1.45 x 0.08 x 0.05 cm) | 1.5 × 0.1 cm | 0.1
        H. 12 cm, W. 5 cm | 12 × 5 cm
        height 12 cm, width 5 cm | 12 × 5 cm
        12 cm high x 5 cm wide | 12 × 5 cm
        H: 8 1/16 x Diam: 2 3/8 in. (20.5 x 6 cm) | 20.5 × 6 cm | - | 6
        H: 3 9/16 x Max. Diam: 2 3/4 in. (9.01 x 7 cm) | 9 × 7 cm | - | 7
        Diam: 2 3/16 in. (5.56 cm) | 5.6 × 5.6 cm | - | 5.6
        diam. 30 cm | 30 × 30 cm | - | 30
        ⌀ 30 cm | 30 × 30 cm | - | 30
        Diam: 2 1/8 x D: 5/16 in. (5.34 x 0.75 cm) | 5.3 × 5.3 cm | 0.8 | 5.3
        17 3/4 in. (45.1 cm) (diam.) | 45.1 × 45.1 cm | - | 45.1
        3/16 x 2 1/4 in. (0.6 x 5.7 cm) (d. x diam.) | 5.7 × 5.7 cm | 0.6 | 5.7
        5 13/16 x 5 13/16 in. (14.7 x 14.8 cm) (h. x diam.) | 14.7 × 14.8 cm | - | 14.8
        H: 1 5/16 x L: 1 1/2 in. (3.3 x 3.8 cm) | 3.3 × 3.8 cm
        Painted surface H: 41 9/16 x W: 32 3/16 x D excluding cradle: 7/16 in. (105.5 x 81.7 x 1.1 cm) | 105.5 × 81.7 cm | 1.1
        H: 41 3/16 x W: 62 3/8 x D: approx. 3 1/4 in. (104.6 x 158.5 x approx. 8.3 cm) | 104.6 × 158.5 cm | 8.3
        """)

    private static let partTexts = rows(
        """
        Overall: 7 11/16 x 5 7/16 in. (19.6 x 13.8 cm); with frame 11 3/8 x 9 3/8 in. | 19.6 × 13.8 cm
        H: 9 7/16 x W: 12 3/4 in. (24 x 32.4 cm); Framed H: 18 x W: 15 x D: 4 in. (45.72 x 38.1 x 10.16 cm) | 24 × 32.4 cm
        25 3/16 x 21 1/4 in. (64 x 54 cm); / framed: 34 1/2 x 30 3/4 x 5 in. (87.6 x 78.1 x 12.7 cm) | 64 × 54 cm
        H excluding frame: 2 3/4 x W: 2 1/4 in. (6.99 x 5.72 cm); Framed H: 2 3/4 x W: 2 3/8 in. | 7 × 5.7 cm
        H: 10 1/4 x W: 9 7/16 in. (26 x 24 cm); Image H: 9 1/4 x W: 6 1/8 in. (23.5 x 15.5 cm) | 26 × 24 cm
        composition: 12 5/16 x 7 1/16" (31.3 x 18 cm); sheet: 21 5/16 x 16 1/4" (54.1 x 41.3 cm) | 54.1 × 41.3 cm
        composition (irreg.): 9 3/4 x 7 9/16" (24.8 x 19.2 cm); page: 12 11/16 x 9 9/16" (32.3 x 24.3 cm) | 32.3 × 24.3 cm
        Plate 11 13/16 x 9 7/16" (30.0 x 24.0 cm)Sheet 14 13/16 x 11 13/16" (37.6 x 30.1 cm) | 37.6 × 30.1 cm
        25 x 20 cm (image), 30 x 25 cm (sheet) | 30 × 25 cm
        Frame: 22 7/16 x 18 3/4 x 1 5/16" (57 x 47.7 x 3.3 cm) / Sheet: 15 1/2 x 11 13/16" (39.3 x 30 cm) (irregular) | 39.3 × 30 cm
        image: 739 x 496 mm / support: 760 x 565 mm / frame: 910 x 650 x 33 mm | 76 × 56.5 cm
        59 x 42 1/8" (150 x 107 cm) unfolded; 37 3/4 x 22" (96 x 56 cm) folded | 150 × 107 cm
        irreg. composition  1 1/2 x 1 3/8" (3.8 x 3.5 cm) | 3.8 × 3.5 cm
        sheet (each): 11 5/8 x 16 9/16" (29.6 x 42 cm) | 29.6 × 42 cm
        2 panels: 30 x 40 cm | 30 × 40 cm
        Overall H: 3 15/16 x W: 2 3/4 in. (10 x 7 cm); Folio H: 3 9/16 × W: 2 3/8 in. (9 × 6 cm) | 10 × 7 cm
        """)

    @Test(arguments: plainTexts)
    func `lengths without names are height by width by depth`(row: Row) { check(row) }

    @Test(arguments: namedTexts)
    func `named lengths are read in any order`(row: Row) { check(row) }

    @Test(arguments: partTexts)
    func `of several parts the work itself is chosen, without its frame`(row: Row) { check(row) }

    private func check(_ row: Row) {
        let size = PhysicalSize(parsing: row.text)
        #expect(size?.caption == row.caption)
        #expect(size?.depth.map(PhysicalSize.decimal) == row.depth)
        #expect(size?.diameter.map(PhysicalSize.decimal) == row.diameter)
    }

    @Test(arguments: [
        "", "Various dimensions", "displayed dimensions variable", "1:16 min.", "duration: 18 min., 22 sec.",
        "25 x 30", "10",
        // A height alone, or a length of an unknown side.
        "1 7/8 in. (4.8 cm)", "H: 10 in. (25.4 cm)", "L: 16 5/16 in. (41.43 cm)",
        "L: 42 5/8 x W: 18 1/4 in. (108.3 x 46.4 cm)",
        "H: 1 3/4 x W: 2 1/4 x L: 9 1/8 in. (4.45 x 5.72 x 23.18 cm)",
        "1 1/8 x 1 15/16 in. (2.8 x 5 cm) (h. x d.)",
        // Units that contradict each other.
        "38 x 24 3/8\" (96.5 x 96.5 cm)",
        // Several objects.
        "support: 940 x 1747 mm\r\nsupport: 822 x 1524 mm",
        // What surrounds the work.
        "Framed H: 20 x W: 18 in. (50.8 x 45.72 cm)",
        "with base: 3 3/8 x 1 11/16 x 1 3/16 in. (8.64 x 4.23 x 3 cm)",
        // Impossible lengths.
        "0 x 10 cm", "200 x 200 m", "1/0 x 5 cm", "4 x 5 x 6 x 7 cm", "x x x cm", "cm in mm", "(((", "5 x cm",
    ])
    func `a text that doesn't name one height and one width has no size`(text: String) {
        #expect(PhysicalSize(parsing: text) == nil)
    }

    @Test func `a hostile text is read as far as a size can be, and at once`() {
        for text in ["9", "1/", "1 ", "5 x ", "x", "(", "cm ", "h ", "½", "'", "1 cm; "] {
            _ = PhysicalSize(parsing: String(repeating: text, count: 100_000), unit: .inch)
        }
    }

    // MARK: - Artworks

    @Test func `a text's own unit precedes the field's name`() throws {
        let size = try PhysicalSize(of: Artwork(["id": "a", "dimensions": ["in": "25.7 × 37.9 cm"]]))
        #expect(size == PhysicalSize(height: 25.7, width: 37.9))
        let inches = try #require(PhysicalSize(of: Artwork(["id": "a", "dimensions": ["cm": "10 x 14 in"]])))
        #expect(inches.caption == "25.4 × 35.6 cm")
    }

    @Test func `a text with a unit precedes the numbers, which may be interchanged`() throws {
        // Tate's files have the first number of "height x width" as the width.
        let size = try PhysicalSize(
            of: Artwork([
                "id": "3", "width": 650, "height": 810, "depth": 19, "units": "mm",
                "dimensions": ["in": "support: 650 x 810 x 19 mm\r\nframe: 743 x 904 x 70 mm"],
            ]))
        #expect(size?.caption == "65 × 81 cm")
        #expect(size?.depth.map(PhysicalSize.decimal) == "1.9")
    }

    @Test(
        arguments: [
            (["metric": "cm", "height": "25.7", "width": "37.9"], "25.7 × 37.9 cm"),
            (["metric": "in", "height": 10, "width": "14"], "25.4 × 35.6 cm"),
            (["units": "in", "height": 4, "width": 5], "10.2 × 12.7 cm"),
            (["units": "in", "height": "5.125", "diameter": 4], "13 × 10.2 cm"),
            (["metric": "in", "diameter": 10], "25.4 × 25.4 cm"),
            (["metric": "cm", "height": 25, "width": 30, "depth": 0], "25 × 30 cm"),
            // The text has no unit, so that the numbers are more certain.
            (["metric": "cm", "height": 25, "width": 30, "dimensions": ["in": "10 x 12"]], "25 × 30 cm"),
            (["height": 25, "width": 30, "dimensions": ["in": "10 x 12"]], "25.4 × 30.5 cm"),
            (["dimensions": ["cm": "10 x 12"]], "10 × 12 cm"),
            (["metric": "cm", "height": 25, "width": 30, "dimensions": ["in": "Variable"]], "25 × 30 cm"),
            (["metric": "cm", "height": 25, "width": 30, "dimensions": ["in": "H: 25 cm"]], "25 × 30 cm"),
            // Several objects have no size, whatever the numbers are.
            (
                [
                    "metric": "cm", "height": 25, "width": 30,
                    "dimensions": ["in": "object: 1 x 2 cm; object: 3 x 4 cm"],
                ], nil
            ),
            (["height": 25, "width": 30], nil), (["metric": "pixel", "height": 25, "width": 30], nil),
            (["metric": "cm", "height": 25], nil),
            (["metric": "cm", "height": -25, "width": 30], nil),
            (["metric": "cm", "height": 25, "width": "1e300"], nil), ([:], nil),
        ] as [(JSONObject, String?)])
    func `the numbers of an artwork are in the unit of its metric`(fields: JSONObject, caption: String?)
        throws
    {
        var fields = fields
        fields["id"] = "a"
        #expect(try PhysicalSize(of: Artwork(fields))?.caption == caption)
    }

    // MARK: - Captions

    @Test func `captions have at most one decimal`() throws {
        let size = try #require(PhysicalSize(height: 25.7, width: 37.949, depth: 0.02))
        #expect(size.caption == "25.7 × 37.9 cm")
        #expect(
            [25, 116.96, 0.02, 1e300, .nan].map(PhysicalSize.decimal) == [
                "25", "117", "0.1", "100000000000000", "0.1",
            ])
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 1), (10_001, 1), (.nan, 1), (1, .infinity)] as [(Double, Double)])
    func `an impossible length is no size`(height: Double, width: Double) {
        #expect(PhysicalSize(height: height, width: width) == nil)
    }
}
