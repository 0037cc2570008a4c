/// A scene looked at on a coarse grid: the underpainting, and where contours run, so that fine strokes go only where there is
/// something to define.
struct Sketch {
    let columns: Int
    let rows: Int
    /// The side of a square of the grid.
    let step: Float
    private let tones: [Tone]
    private let contrast: [Float]
    private let contours: [(x: Float, y: Float)]

    init(_ scene: any Scene, _ extent: Extent, step: Float) {
        self.step = step
        let columns = Int((extent.width / step).rounded(.up)) + 1
        let rows = Int((extent.height / step).rounded(.up)) + 1
        var tones: [Tone] = []
        tones.reserveCapacity(columns * rows)
        for row in 0..<rows {
            for column in 0..<columns {
                tones.append(scene.tone((Float(column) + 0.5) * step, (Float(row) + 0.5) * step))
            }
        }
        var contrast = [Float](repeating: 0, count: tones.count)
        var contours = [(x: Float, y: Float)](repeating: (1, 0), count: tones.count)
        for row in 1..<max(2, rows - 1) where rows > 2 {
            for column in 1..<max(2, columns - 1) where columns > 2 {
                let at = row * columns + column
                let (left, right) = (tones[at - 1].colour, tones[at + 1].colour)
                let (above, below) = (tones[at - columns].colour, tones[at + columns].colour)
                let across = right.luminance - left.luminance
                let down = below.luminance - above.luminance
                contours[at] = (-down, across)
                contrast[at] =
                    abs(right.red - left.red) + abs(right.green - left.green) + abs(right.blue - left.blue)
                    + abs(below.red - above.red) + abs(below.green - above.green)
                    + abs(below.blue - above.blue)
            }
        }
        // Broad strokes run over a contour by about a square: the neighbours need fine strokes as well.
        let spread = contrast
        for row in 1..<max(2, rows - 1) where rows > 2 {
            for column in 1..<max(2, columns - 1) where columns > 2 {
                let at = row * columns + column
                let beside = max(spread[at - 1], spread[at + 1], spread[at - columns], spread[at + columns])
                contrast[at] = max(spread[at], beside * 0.8)
            }
        }
        (self.columns, self.rows) = (columns, rows)
        (self.tones, self.contrast, self.contours) = (tones, contrast, contours)
    }

    /// The scene's tone in a square of the grid.
    func tone(column: Int, row: Int) -> Tone { tones[row * columns + column] }

    /// The lightest and the darkest of it, leaving out the outermost twentieth at either end.
    var luminances: (light: Float, dark: Float) {
        let sorted = tones.map(\.colour.luminance).sorted()
        return (sorted[sorted.count * 19 / 20], sorted[sorted.count / 20])
    }

    /// How much colour changes around a point (0 to 6), and which way its contour runs.
    func edge(_ x: Float, _ y: Float) -> (contrast: Float, contour: (x: Float, y: Float)) {
        let column = max(0, min(columns - 1, Int(max(0, x) / step)))
        let row = max(0, min(rows - 1, Int(max(0, y) / step)))
        return (contrast[row * columns + column], contours[row * columns + column])
    }
}
