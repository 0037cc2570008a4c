/// The distances on a wall, in centimetres: where each work begins, where the floor is, how long and high the drawing is.
struct WallSpacing: Sendable, Equatable {
    /// Free space above the highest work.
    private static let above = 22.0
    /// The part of the floor that is visible.
    private static let below = 34.0
    /// Two areas that can be clicked are at least this far apart.
    private static let betweenHits = 2.0

    /// The smallest side of an area that can be clicked: 48 cm, and more on a wall higher than 4.8 m, whose drawing has fewer
    /// pixels for a centimetre. It is never under 24 pixels, as the drawing is at least 240 pixels high.
    let smallestHit: Double
    /// The left edge of each work.
    let lefts: [Double]
    /// The position of the floor, downwards from the top of the drawing.
    let ground: Double
    /// The size of the drawing, in whole centimetres.
    let width: Double
    let height: Double
    /// How far the floor continues beyond each end of the drawing.
    let groundMargin: Double

    init(_ sizes: [HungSize]) {
        let highest = sizes.reduce(DrawnPerson.height) { max($0, $1.top) }
        let ground = highest + Self.above
        let scale = max(1, (ground + Self.below) / 480)
        let hit = 48 * scale
        // Works that all hang on the centre line get more air; beside a work of the size of a room they'd look lost with it.
        let gap = (sizes.contains(where: \.isRaised) ? 34 : 48) * scale

        func overhang(_ size: HungSize) -> Double { max(0, hit - size.width) / 2 }
        var lefts: [Double] = [], right = DrawnPerson.width, overhangBefore = 0.0
        for (index, size) in sizes.enumerated() {
            let needed = overhangBefore + overhang(size) + Self.betweenHits
            right += max(index == 0 ? 38 : gap, needed)
            lefts.append(right)
            right += size.width
            overhangBefore = overhang(size)
        }
        smallestHit = hit
        self.lefts = lefts
        self.ground = ground
        width = (right + gap + 20).rounded(.toNearestOrEven)
        height = (ground + Self.below).rounded(.toNearestOrEven)
        groundMargin = (3000 * scale).rounded()
    }

    /// The area of a work that can be clicked: the work, extended on all sides where it is smaller than `smallestHit`.
    func hit(of size: HungSize, left: Double) -> DrawnBox {
        let width = max(size.width, smallestHit), height = max(size.height, smallestHit)
        return DrawnBox(
            x: left + (size.width - width) / 2, y: ground - size.top + (size.height - height) / 2,
            width: width,
            height: height)
    }
}
