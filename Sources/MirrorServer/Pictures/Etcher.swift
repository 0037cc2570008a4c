/// Draws a scene as a print: a plate with a paper margin, tone built up from hatching in up to four directions.
struct Etcher {
    /// How dark it must be (0 light to 1 dark) for lines of each direction.
    private static let layers: [(darkness: Float, right: Float, down: Float)] = [
        (0.24, 0.8, -0.6), (0.5, 0.97, 0.24), (0.7, 0.5, 0.866), (0.86, 0.2, -0.98),
    ]

    let scene: any Scene
    let extent: Extent
    let palette: Palette

    func paint(_ canvas: borrowing Canvas, _ seed: inout PictureSeed) {
        let paper = Colour(0xf1e9d8).mixed(palette.light, 0.3)
        let ink = palette.dark.mixed(seed.chance(0.3) ? Colour(0x5a3420) : Colour(0x1c1a1a), 0.6)
        canvas.fill(x: -1, y: -1, width: 3, height: 3, paper)
        let margin = extent.short * 0.055
        let tint = paper.lit(0.955)
        canvas.fill(
            x: margin, y: margin, width: extent.width - 2 * margin, height: extent.height - 2 * margin, tint)
        let brush = Brush(relief: 0.015, &seed)
        let spacing: Float = 1 / 150
        let columns = Int((extent.width - 2 * margin) / spacing)
        let rows = Int((extent.height - 2 * margin) / spacing)
        // The whole range from paper to black is used, however dim the scene.
        let range = Sketch(scene, extent, step: 1 / 40).luminances
        let contrast = 1 / max(0.15, range.light - range.dark)
        for row in 0..<max(0, rows) {
            for column in 0..<max(0, columns) {
                var dice = seed.fork()
                let x = margin + (Float(column) + dice.unit()) * spacing
                let y = margin + (Float(row) + dice.unit()) * spacing
                let tone = scene.tone(x, y)
                let darkness = (range.light - tone.colour.luminance) * contrast + dice.between(-0.06, 0.06)
                for layer in Self.layers where darkness > layer.darkness {
                    // The first lines follow the form, the others cross it.
                    let length = (tone.directionX * tone.directionX + tone.directionY * tone.directionY)
                        .squareRoot()
                    let follows = layer.darkness < 0.3 && length > 1e-5
                    canvas.paint(
                        Stroke(
                            x: x, y: y, directionX: follows ? tone.directionX / length : layer.right,
                            directionY: follows ? tone.directionY / length : layer.down,
                            halfLength: spacing * dice.between(0.8, 1.7), halfWidth: spacing * 0.13,
                            colour: ink,
                            opacity: 0.75),
                        brush)
                }
            }
        }
        plate(canvas, margin, ink, brush)
    }

    /// The line that the plate's edge presses around the image.
    private func plate(_ canvas: borrowing Canvas, _ margin: Float, _ ink: Colour, _ brush: borrowing Brush) {
        let (width, height) = (extent.width * 0.5, extent.height * 0.5)
        for (x, y, right, down, half) in [
            (width, margin, Float(1), Float(0), width - margin),
            (width, extent.height - margin, 1, 0, width - margin),
            (margin, height, 0, 1, height - margin), (extent.width - margin, height, 0, 1, height - margin),
        ] {
            canvas.paint(
                Stroke(
                    x: x, y: y, directionX: right, directionY: down, halfLength: half, halfWidth: 0.0015,
                    colour: ink,
                    opacity: 0.7),
                brush)
        }
    }
}
