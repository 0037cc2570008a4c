/// The vertical scale of a plot of counts, in pixels: upwards what came, downwards what went.
struct PlotAxis: Sendable, Equatable {
    /// The upper end of the scale.
    static let top = 30.0
    /// The position of zero, unless the counts below need more room.
    static let usualZero = 124.0
    /// The lower end of the scale.
    static let bottom = 158.0

    /// The number between two grid lines: 1, 2 or 5 times a power of ten.
    let step: Int
    /// The number at the upper end: a multiple of `step`; 0 if there is nothing to show.
    let above: Int
    /// The number at the lower end.
    let below: Int
    /// The position of zero.
    let zero: Double
    /// The height of one object.
    let unit: Double

    /// - Parameters:
    ///   - above: the largest count above the line.
    ///   - below: the largest count below it.
    init(above: Int, below: Int) {
        guard max(above, below) > 0 else {
            (step, self.above, self.below, zero, unit) = (1, 0, 0, Self.usualZero, 0)
            return
        }
        step = Self.step(for: max(above, below))
        self.above = max(1, (above + step - 1) / step) * step
        self.below = below
        let usual = (Self.usualZero - Self.top) / Double(self.above)
        if Double(below) * usual <= Self.bottom - Self.usualZero {
            zero = Self.usualZero
            unit = usual
        } else {
            unit = (Self.bottom - Self.top) / Double(self.above + below)
            zero = Self.top + unit * Double(self.above)
        }
    }

    /// The height of a bar, at least a pixel: one object must be visible beside 100,000.
    func length(_ count: Int) -> Double { max(1, Double(count) * unit) }

    /// The numbers that have a grid line, away from zero; negative ones are below it.
    var lines: [Int] {
        stride(from: step, through: above, by: step)
            + stride(from: step, through: below, by: step).map { -$0 }
    }

    /// The smallest step with which three lines reach the largest count.
    private static func step(for largest: Int) -> Int {
        var power = 1
        while true {
            for factor in [1, 2, 5] where largest <= 3 * factor * power { return factor * power }
            power *= 10
        }
    }
}
