import Testing

@testable import MirrorServer

/// The walls of the design's home page, show and artist, number by number.
@Suite("The walls of the design") struct WallReferenceTests {
    /// The text of the size, width and height, the picture's position, the area that can be clicked.
    typealias Hung = (text: String, width: Double, height: Double, at: [Double], hit: [Double])

    static let album: [Hung] = [
        ("25.1 by 22.6 cm", 22.6, 25.1, [86, 269], [73.3, 257.5, 48, 48]),
        ("172.5 by 278.5 cm", 278.5, 172.5, [142.6, 195.2], [142.6, 195.2, 278.5, 172.5]),
        ("79.4 by 53.4 cm", 53.4, 79.4, [455.1, 241.8], [455.1, 241.8, 53.4, 79.4]),
        ("82.2 by 60 cm", 60, 82.2, [542.5, 240.4], [542.5, 240.4, 60, 82.2]),
        ("379.5 by 453.5 cm", 453.5, 379.5, [636.5, 22], [636.5, 22, 453.5, 379.5]),
        ("44.5 by 39 cm", 39, 44.5, [1124, 259.2], [1119.5, 257.5, 48, 48]),
        ("25.7 by 37.9 cm", 37.9, 25.7, [1197, 268.6], [1192, 257.5, 48, 48]),
        ("207.5 by 308.1 cm", 308.1, 207.5, [1268.9, 177.8], [1268.9, 177.8, 308.1, 207.5]),
        ("73.7 by 92.1 cm", 92.1, 73.7, [1611, 244.6], [1611, 244.6, 92.1, 73.7]),
        ("320.5 by 281.5 cm", 281.5, 320.5, [1737.1, 81], [1737.1, 81, 281.5, 320.5]),
    ]

    static let show: [Hung] = [
        ("116.5 by 162 cm", 162, 116.5, [86, 22], [86, 22, 162, 116.5]),
        ("96.5 by 115.7 cm", 115.7, 96.5, [296, 32], [296, 32, 115.7, 96.5]),
        ("25 by 37 cm", 37, 25, [459.7, 67.8], [454.2, 56.2, 48, 48]),
        ("25.7 by 37.9 cm", 37.9, 25.7, [544.7, 67.4], [539.7, 56.2, 48, 48]),
        ("90.7 by 121.6 cm", 121.6, 90.7, [630.6, 34.9], [630.6, 34.9, 121.6, 90.7]),
        ("91 by 121.8 cm", 121.8, 91, [800.2, 34.8], [800.2, 34.8, 121.8, 91]),
        ("34 by 23 cm", 23, 34, [970, 63.2], [957.5, 56.2, 48, 48]),
        ("50 by 65 cm", 65, 50, [1041, 55.2], [1041, 55.2, 65, 50]),
        ("73.7 by 92.1 cm", 92.1, 73.7, [1154, 43.4], [1154, 43.4, 92.1, 73.7]),
        ("50.5 by 103 cm", 103, 50.5, [1294.1, 55], [1294.1, 55, 103, 50.5]),
    ]

    static let artist: [Hung] = [
        ("379.5 by 453.5 cm", 453.5, 379.5, [86, 22], [86, 22, 453.5, 379.5]),
        ("21.3 by 27.9 cm", 27.9, 21.3, [573.5, 270.9], [563.5, 257.5, 48, 48]),
        ("114.3 by 94 cm", 94, 114.3, [635.4, 224.4], [635.4, 224.4, 94, 114.3]),
    ]

    @Test func `The wall of an album has the numbers of the design`() throws {
        try check(Self.album, viewBox: "0 0 2073 470", ground: [-3000, 436.5, 8073, 60])
    }

    @Test func `The wall of a show without large works has the numbers of the design`() throws {
        try check(Self.show, viewBox: "0 0 1465 269", ground: [-3000, 235.2, 7465, 60])
    }

    @Test func `The wall of an artist has the numbers of the design`() throws {
        try check(Self.artist, viewBox: "0 0 783 470", ground: [-3000, 436.5, 6783, 60])
    }

    @Test func `The person on the wall has the outline of the design`() throws {
        let person = DrawnPerson(ground: 436.5)
        #expect(
            person.body
                == "M19 294.5C9 296.5 2 298.5 1 310.5L4 354.5C5 358.5 8 358.5 8.5 354.5L12 436.5H22.5L24 364.5"
                + "L25.5 436.5H36L39.5 354.5C40 358.5 43 358.5 44 354.5L47 310.5C46 298.5 39 296.5 29 294.5Z")
        #expect([person.headX, person.headY] == ["24", "283"])
    }

    private func check(_ expected: [Hung], viewBox: String, ground: [Double]) throws {
        let works = expected.map {
            Wall.Work(label: "A", href: "a", picture: "p", width: $0.width, height: $0.height)
        }
        let wall = try #require(Wall(works, of: .show(name: nil)))
        #expect(wall.viewBox == viewBox)
        #expect("0 0 \(wall.width) \(wall.height)" == viewBox)
        #expect(isNear(wall.ground, ground))
        #expect(wall.items.map(\.label) == expected.map { "A, \($0.text)" })
        for (item, hung) in zip(wall.items, expected) {
            let (x, y) = (hung.at[0], hung.at[1])
            #expect(isNear(item.image, [x, y, hung.width, hung.height]), "\(hung.text)")
            #expect(isNear(item.hit, hung.hit), "\(hung.text)")
            #expect(isNear(item.edge, [x - 1, y - 1, hung.width + 2, hung.height + 2]), "\(hung.text)")
        }
    }
}

/// The four numbers of a rectangle.
func numbers(_ box: DrawnBox) -> [Double] {
    [box.x, box.y, box.width, box.height].map { Double($0) ?? .nan }
}

/// Whether a rectangle has these numbers, but for the rounding of a tenth.
func isNear(_ box: DrawnBox, _ expected: [Double]) -> Bool {
    zip(numbers(box), expected).allSatisfy { abs($0 - $1) < 0.101 }
}
