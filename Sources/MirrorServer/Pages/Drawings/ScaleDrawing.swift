/// The small drawing in a work's label: the work as a rectangle beside a person, in centimetres.
///
/// It follows the rules of `Wall`: the same sizes can be drawn, and the work hangs at the same height.
struct ScaleDrawing: Sendable, Equatable {
    /// The height of the drawing on the page, in pixels (7rem in the style sheet).
    private static let pixelHeight = 112.0
    /// The drawing's width divided by its height never exceeds this, so that it fits into the narrowest label of 236 pixels.
    /// Above wider works there is empty space instead.
    private static let widestRatio = 2.1

    /// The attributes of the `svg` element.
    let width: String
    let height: String
    let viewBox: String
    /// The text of `aria-label`: "Drawing: the work, 25.7 by 37.9 cm, beside a person of 1.65 m".
    let label: String
    let caption = "To scale, beside a person of 1.65 m"
    let person: DrawnPerson
    /// At its true size, but at least a pixel on each side: a work of 1 mm must be visible in the drawing of a person.
    let work: DrawnBox
    /// The attribute `d` of the line of the floor.
    let floor: String

    /// - Returns: `nil` where a side is unknown or not drawn, or the picture's ratio differs by more than 15 %.
    init?(width workWidth: Double?, height workHeight: Double?, pictureRatio: Double? = nil) {
        guard let size = HungSize(width: workWidth, height: workHeight, pictureRatio: pictureRatio) else {
            return nil
        }
        let left = 74.0
        let across = (left + size.width + 18).rounded(.toNearestOrEven)
        let upright = max(170, size.top + 2) + 2
        let down = max(upright, across / Self.widestRatio).rounded(.up)
        let ground = down - 2
        let pixel = down / Self.pixelHeight
        let drawnWidth = max(size.width, pixel), drawnHeight = max(size.height, pixel)

        width = across.tenths
        height = down.tenths
        viewBox = "0 0 \(width) \(height)"
        label = "Drawing: the work, \(size.text), beside a person of 1.65 m"
        person = DrawnPerson(left: 6, ground: ground)
        work = DrawnBox(
            x: left, y: ground - size.top - (drawnHeight - size.height) / 2, width: drawnWidth,
            height: drawnHeight)
        floor = "M0 \((ground + 0.5).tenths)H\(width)"
    }
}
