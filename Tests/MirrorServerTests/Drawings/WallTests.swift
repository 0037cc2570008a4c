import Testing

@testable import MirrorServer

@Suite("A wall to scale") struct WallTests {
    private func work(_ width: Double?, _ height: Double?, ratio: Double? = nil) -> Wall.Work {
        Wall.Work(label: "A", href: "a", picture: "p", width: width, height: height, pictureRatio: ratio)
    }

    private func hang(_ works: [Wall.Work], total: Int? = nil) -> Wall? {
        Wall(works, of: .show(name: nil), total: total)
    }

    @Test(
        arguments: [
            (50.0, 40.0, nil, true), (nil, 40, nil, false), (50, nil, nil, false), (0, 40, nil, false),
            (-50, 40, nil, false), (.nan, 40, nil, false), (50, .infinity, nil, false), (0.1, 0.1, nil, true),
            (0.09, 1, nil, false), (3000, 100, nil, true), (3000.1, 100, nil, false), (100, 3000, nil, true),
            // The picture's ratio.
            (50, 40, 1.25, true), (115, 100, 1, true), (100, 115, 1, true), (116, 100, 1, false),
            (100, 116, 1, false),
            (50, 40, 0.8, false), (50, 40, .nan, true), (50, 40, 0, true),
        ] as [(Double?, Double?, Double?, Bool)])
    func `A work hangs if its sides are known and its picture has nearly their ratio`(
        width: Double?, height: Double?, ratio: Double?, hangs: Bool
    ) throws {
        let others = [work(50, 50), work(60, 60), work(70, 70)]
        let wall = try #require(hang(others + [work(width, height, ratio: ratio)]))
        #expect(wall.items.count == (hangs ? 4 : 3))
    }

    @Test(arguments: [(0, false), (2, false), (3, true), (4, true)])
    func `Fewer than three works make no wall`(count: Int, exists: Bool) {
        let works = Array(repeating: work(30, 40), count: count) + [work(nil, 3)]
        #expect((hang(works) != nil) == exists)
    }

    @Test(arguments: [
        [0.1, 0.1, 0.1, 0.1], [5, 60, 5, 5, 5], [47, 1, 47, 1], [900, 0.5, 0.5, 900], [3000, 3000, 2, 2, 2],
        [30, 30, 30, 600, 10, 10],
    ])
    func `Areas that can be clicked never overlap`(sides: [Double]) throws {
        let wall = try #require(hang(sides.map { work($0, $0) }))
        let hits = wall.items.map { numbers($0.hit) }
        for (first, second) in zip(hits, hits.dropFirst()) { #expect(first[0] + first[2] < second[0]) }
        for (first, second) in zip(wall.items.map { numbers($0.image) }, wall.items.dropFirst()) {
            #expect(first[0] + first[2] < numbers(second.image)[0])
        }
    }

    @Test(arguments: [[20.0, 20, 20], [400, 20, 1], [2000, 5, 5], [3000, 0.1, 10]])
    func `Areas that can be clicked are never under 24 pixels on the smallest drawing`(sides: [Double]) throws
    {
        let wall = try #require(hang(sides.map { work($0, $0) }))
        let pixels = 240 / (try #require(Double(wall.height)))
        for item in wall.items {
            let hit = numbers(item.hit)
            #expect(hit[2] * pixels > 23.9 && hit[3] * pixels > 23.9)
        }
    }

    @Test(arguments: [
        // The lower edge above the floor.
        (100.0, 105.0), (240, 35), (241, 35), (310, 35), (379.5, 35), (2000, 35), (0.1, 154.95),
    ])
    func `A work hangs on the centre line, or 35 centimetres above the floor if it is too high`(
        height: Double, above: Double
    ) throws {
        let wall = try #require(hang([work(50, height), work(50, 50), work(50, 50)]))
        let image = numbers(wall.items[0].image)
        #expect(abs(numbers(wall.ground)[1] - image[1] - image[3] - above) < 0.2)
        #expect(image[1] >= 22)
    }

    @Test func `A wall has at most forty works, and says of how many`() throws {
        let wall = try #require(hang(Array(repeating: work(30, 40), count: 500)))
        #expect(wall.items.count == 40)
        #expect(
            wall.label
                == "40 of the 500 works of the show at their true sizes, beside a person of 1.65 metres")
        #expect(wall.caption == "40 of the 500 works, at their true sizes, beside a person of 1.65 m.")
    }

    @Test func `A wall beside a long list has fewer works`() throws {
        #expect(Wall.most(beside: 40) == 40 && Wall.most(beside: 41) == 24)
        let works = Array(repeating: work(30, 40), count: 60)
        #expect(Wall(works, of: .show(name: nil), most: 24)?.items.count == 24)
    }

    @Test(arguments: [
        (WallSubject.show(name: nil), 10, 10, "The ten works of the show"),
        (.show(name: "Weather Report"), 12, 12, "The twelve works of the show Weather Report"),
        (.album(name: "Highlights"), 10, 10, "The ten works of the album Highlights"),
        (.album(name: ""), 13, 13, "The 13 works of the album"),
        (.show(name: nil), 9, 10, "Nine of the ten works of the show"),
        (.album(name: nil), 13, 1200, "13 of the 1,200 works of the album"),
        (.artist(name: "Rembrandt van Rijn"), 3, 3, "Three works by Rembrandt van Rijn"),
        (.artist(name: "Rembrandt van Rijn"), 3, 5, "Three works by Rembrandt van Rijn"),
    ])
    func `The name of a wall says how many works of what it has`(
        subject: WallSubject, hung: Int, total: Int, phrase: String
    ) {
        #expect(subject.phrase(hung: hung, total: total) == phrase)
    }

    @Test func `The caption of a complete wall is the design's`() throws {
        let wall = try #require(hang([work(30, 40), work(30, 40), work(30, 40)]))
        #expect(wall.caption == "At their true sizes, beside a person of 1.65 m.")
        let partial = try #require(hang([work(30, 40), work(30, 40), work(30, 40), work(nil, nil)]))
        #expect(partial.caption == "Three of the four works, at their true sizes, beside a person of 1.65 m.")
        #expect(hang([work(1, 1), work(1, 1), work(1, 1)], total: 1)?.caption == wall.caption)
    }

    @Test func `A work without a picture or label hangs as well`() throws {
        var plain = work(30, 40.25)
        plain.picture = nil
        plain.label = ""
        let wall = try #require(hang([plain, work(30, 40), work(30, 40)]))
        #expect(wall.items[0].picture == nil)
        #expect(wall.items[0].label == "40.2 by 30 cm")
    }
}
