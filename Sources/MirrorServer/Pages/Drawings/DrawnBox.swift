/// A rectangle of a drawing, as attributes of an SVG element print it: to a tenth of a unit.
struct DrawnBox: Sendable, Equatable {
    let x: String
    let y: String
    let width: String
    let height: String

    init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x.tenths
        self.y = y.tenths
        self.width = width.tenths
        self.height = height.tenths
    }
}
