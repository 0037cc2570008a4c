import Testing

@testable import MirrorServer

@Suite("The drawing in a work's label") struct ScaleDrawingTests {
    @Test func `The drawing of the Great Wave has the numbers of the design`() throws {
        let drawing = try #require(ScaleDrawing(width: 37.9, height: 25.7, pictureRatio: 1.475))
        #expect(drawing.viewBox == "0 0 130 172")
        #expect(drawing.label == "Drawing: the work, 25.7 by 37.9 cm, beside a person of 1.65 m")
        #expect(drawing.work == DrawnBox(x: 74, y: 2.2, width: 37.9, height: 25.7))
        #expect(drawing.floor == "M0 170.5H130")
        #expect(
            drawing.person.body
                == "M25 28C15 30 8 32 7 44L10 88C11 92 14 92 14.5 88L18 170H28.5L30 98L31.5 170H42L45.5 88"
                + "C46 92 49 92 50 88L53 44C52 32 45 30 35 28Z")
        #expect([drawing.person.headX, drawing.person.headY] == ["30", "16.5"])
    }

    @Test(arguments: [
        (0.1, 0.1), (1, 300), (3000, 0.1), (3000, 3000), (278.5, 172.5), (453.5, 379.5), (20, 2000),
        (600, 50),
    ])
    func `A drawing of any size fits its label and shows the work and the whole person`(
        width: Double, height: Double
    ) throws {
        let drawing = try #require(ScaleDrawing(width: width, height: height))
        let across = try #require(Double(drawing.width)), down = try #require(Double(drawing.height))
        #expect(across / down <= 2.1)
        let box = numbers(drawing.work)
        #expect(box[1] >= 1 && box[0] + box[2] < across && box[1] + box[3] <= down)
        let pixel = 112 / down
        #expect(box[2] * pixel >= 0.9 && box[3] * pixel >= 0.9)
        #expect(box[2] >= width - 0.1 && box[3] >= height - 0.1)
        #expect(try #require(Double(drawing.person.headY)) >= 11.5)
    }

    @Test(
        arguments: [
            (nil, 40.0, nil), (40, nil, nil), (.nan, 40, nil), (-1, 4, nil), (4000, 4, nil), (40, 40, 2),
        ]
            as [(Double?, Double?, Double?)])
    func `A work that a wall leaves out has no drawing`(width: Double?, height: Double?, ratio: Double?) {
        #expect(ScaleDrawing(width: width, height: height, pictureRatio: ratio) == nil)
    }

    @Test(arguments: [
        (48.0, "48"), (25.1, "25.1"), (0.04, "0"), (-0.04, "0"), (-3000, "-3000"), (-0.5, "-0.5"),
        (67.75, "67.8"),
        (56.25, "56.2"), (.nan, "0"), (.infinity, "0"), (1e300, "0"), (8073, "8073"),
    ])
    func `Numbers in a drawing have at most one decimal`(number: Double, text: String) {
        #expect(number.tenths == text)
    }

    @Test(arguments: [
        (0, "No", "0"), (1, "One", "1"), (12, "Twelve", "12"), (13, "13", "13"),
        (1000, "1,000", "1,000"), (1_234_567, "1,234,567", "1,234,567"), (-5, "-5", "-5"),
    ])
    func `Numbers up to twelve are words, larger ones have commas`(count: Int, words: String, digits: String)
    {
        #expect(CountText(count).capitalized == words)
        #expect(CountText(count).digits == digits)
    }
}
