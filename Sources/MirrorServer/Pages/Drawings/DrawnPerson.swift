/// The outline of a standing person of 1.65 m, which gives a drawing its scale.
///
/// The unit is a centimetre. The person is 46 cm wide, between 1 and 47 cm right of `left`.
struct DrawnPerson: Sendable, Equatable {
    static let height = 165.0
    static let width = 48.0

    /// The attribute `d` of the path from the shoulders to the feet.
    let body: String
    /// The centre of the head, an ellipse whose size the templates know.
    let headX: String
    let headY: String

    /// - Parameters:
    ///   - left: the position of the person's left edge.
    ///   - ground: the position of the floor, downwards from the top of the drawing.
    init(left: Double = 0, ground: Double) {
        func x(_ offset: Double) -> String { (left + offset).tenths }
        func y(_ above: Double) -> String { (ground - above).tenths }
        func point(_ across: Double, _ above: Double) -> String { "\(x(across)) \(y(above))" }
        func curve(_ first: (Double, Double), _ second: (Double, Double), _ end: (Double, Double)) -> String {
            "C\(point(first.0, first.1)) \(point(second.0, second.1)) \(point(end.0, end.1))"
        }
        body =
            "M\(point(19, 142))" + curve((9, 140), (2, 138), (1, 126)) + "L\(point(4, 82))"
            + curve((5, 78), (8, 78), (8.5, 82)) + "L\(point(12, 0))H\(x(22.5))L\(point(24, 72))"
            + "L\(point(25.5, 0))H\(x(36))L\(point(39.5, 82))" + curve((40, 78), (43, 78), (44, 82))
            + "L\(point(47, 126))" + curve((46, 138), (39, 140), (29, 142)) + "Z"
        headX = x(24)
        headY = y(153.5)
    }
}
