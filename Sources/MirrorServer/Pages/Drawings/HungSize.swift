/// The size of a work that can be drawn to scale, and the place where it hangs. All lengths are in centimetres.
struct HungSize: Sendable, Equatable {
    /// The middle of a work is this far above the floor, as in most museums.
    static let centerLine = 155.0
    /// The lower edge of a work that is too high for the centre line is this far above the floor.
    static let lowestEdge = 35.0
    /// The sides that are drawn. Longer ones are nearly always in another unit, shorter ones are not visible.
    static let sides = 0.1...3000.0
    /// The ratio of the sides and that of the picture may differ by this factor. Where they differ by more, the picture shows
    /// something else (a frame, a wall, a detail), or the sides are swapped.
    static let toleratedDifference = 1.15

    let width: Double
    let height: Double

    /// - Parameters:
    ///   - pictureRatio: the width of the picture divided by its height; `nil` where there is no picture or its size is unknown.
    /// - Returns: `nil` where a side is unknown or not drawn, or the picture's ratio differs by more than 15 %.
    init?(width: Double?, height: Double?, pictureRatio: Double?) {
        guard let width, let height, Self.sides.contains(width), Self.sides.contains(height) else {
            return nil
        }
        if let pictureRatio, pictureRatio.isFinite, pictureRatio > 0 {
            let difference = width / height / pictureRatio
            // Rounded sides of exactly 15 % shouldn't depend on the last bit.
            guard max(difference, 1 / difference) <= Self.toleratedDifference + 1e-9 else { return nil }
        }
        self.width = width
        self.height = height
    }

    /// The height of the lower edge above the floor.
    var bottom: Double { max(Self.centerLine - height / 2, Self.lowestEdge) }

    /// The height of the upper edge above the floor.
    var top: Double { bottom + height }

    /// Whether the work is too high for the centre line.
    var isRaised: Bool { Self.centerLine - height / 2 < Self.lowestEdge }

    /// "25.1 by 22.6 cm": the height first, as in captions.
    var text: String { "\(height.tenths) by \(width.tenths) cm" }

    /// The rectangle of the work whose left edge is at `left`, `margin` larger on each side.
    func box(left: Double, ground: Double, margin: Double = 0) -> DrawnBox {
        DrawnBox(
            x: left - margin, y: ground - top - margin, width: width + 2 * margin, height: height + 2 * margin
        )
    }
}
