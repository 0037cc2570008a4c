/// Paints a scene as one would in oils: an underpainting, then strokes laid over one another from broad to fine, the fine ones
/// only where there is a contour to define. Every stroke takes its colour from where it starts.
struct OilPainter {
    private struct Pass {
        /// The distance between strokes, in units of the long side.
        let spacing: Float
        /// Only where the sketch shows at least this much contrast.
        let contrast: Float
        /// And at most this much: broad strokes across a contour would be painted over anyway.
        var limit: Float = 10
        let variation: Float
        let opacity: Float
    }

    private static let passes = [
        Pass(spacing: 1 / 26, contrast: 0, limit: 0.5, variation: 0.035, opacity: 0.92),
        Pass(spacing: 1 / 56, contrast: 0.08, variation: 0.03, opacity: 0.85),
        Pass(spacing: 1 / 125, contrast: 0.24, variation: 0.015, opacity: 0.9),
        Pass(spacing: 1 / 250, contrast: 0.55, variation: 0.01, opacity: 0.85),
    ]

    let scene: any Scene
    let extent: Extent

    func paint(_ canvas: borrowing Canvas, _ seed: inout PictureSeed) {
        let sketch = Sketch(scene, extent, step: 1 / 72)
        for row in 0..<sketch.rows {
            for column in 0..<sketch.columns {
                canvas.fill(
                    x: Float(column) * sketch.step, y: Float(row) * sketch.step, width: sketch.step,
                    height: sketch.step, sketch.tone(column: column, row: row).colour)
            }
        }
        for pass in Self.passes {
            // Dice of its own for each pass; strokes finer than about a pixel would not be seen.
            var dice = seed.fork()
            if pass.spacing * canvas.scale >= 1.4 { lay(pass, on: canvas, sketch, &dice) }
        }
    }

    private func lay(_ pass: Pass, on canvas: borrowing Canvas, _ sketch: Sketch, _ seed: inout PictureSeed) {
        let brush = Brush(relief: 0.05, &seed)
        let columns = Int(extent.width / pass.spacing) + 2
        let rows = Int(extent.height / pass.spacing) + 2
        let count = columns * rows
        // A step that shares no factor with the count visits every place once, in an order without rows.
        var stride = Int(Float(count) * 0.618) | 1
        while Self.commonDivisor(stride, count) != 1 { stride += 2 }
        var place = seed.index(count)
        for _ in 0..<count {
            place = (place + stride) % count
            var x = Float(place % columns) * pass.spacing
            var y = Float(place / columns) * pass.spacing
            let edge = sketch.edge(x, y)
            guard edge.contrast >= pass.contrast, edge.contrast <= pass.limit else { continue }
            var dice = seed.fork()
            x += dice.between(-0.5, 0.5) * pass.spacing
            y += dice.between(-0.5, 0.5) * pass.spacing
            let tone = scene.tone(max(0, min(extent.width, x)), max(0, min(extent.height, y)))
            // Where there is a contour, along it, else the way the scene says.
            var (right, down) = edge.contrast > 0.3 ? edge.contour : (tone.directionX, tone.directionY)
            right += dice.between(-0.12, 0.12) * (abs(right) + abs(down))
            let length = (right * right + down * down).squareRoot()
            (right, down) = length > 1e-5 ? (right / length, down / length) : (1, 0)
            let calm = max(0.6, 1.1 - edge.contrast * 0.4)
            canvas.paint(
                Stroke(
                    x: x, y: y, directionX: right, directionY: down,
                    halfLength: pass.spacing * dice.between(0.75, 1.2) * calm,
                    halfWidth: pass.spacing * dice.between(0.38, 0.54),
                    colour: tone.colour.varied(pass.variation, &dice), opacity: pass.opacity),
                brush)
        }
    }

    private static func commonDivisor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one
    }
}
