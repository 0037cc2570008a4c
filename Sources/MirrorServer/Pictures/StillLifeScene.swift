/// Fruit, a jug, perhaps a bottle, on a table before a dim wall.
struct StillLifeScene: Scene {
    private let extent: Extent
    private let palette: Palette
    private let noise: PictureNoise
    private let edge: Float
    private let forms: [RoundForm]
    private let necks: [(left: Float, right: Float, top: Float, bottom: Float, colour: Colour)]
    private let cloth: (left: Float, right: Float)
    private let pale: Bool

    init(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) {
        self.extent = extent
        self.palette = palette
        noise = PictureNoise(&seed)
        let edge = extent.height * seed.between(0.56, 0.66)
        self.edge = edge
        pale = seed.chance(0.35)
        let unit = extent.short
        let left = seed.between(0.1, 0.35)
        cloth = (extent.width * left, extent.width * (left + seed.between(0.3, 0.5)))
        var forms: [RoundForm] = []
        var necks: [(left: Float, right: Float, top: Float, bottom: Float, colour: Colour)] = []
        for _ in 0..<(1 + seed.index(2)) {
            let colour = seed.pick([palette.blue, palette.green, palette.middle, palette.light, palette.deep])
            let x = extent.width * seed.between(0.25, 0.75)
            let radius = unit * seed.between(0.11, 0.17)
            let y = edge + unit * 0.06 - radius * 0.55
            let neck = radius * seed.between(0.28, 0.42)
            forms.append(
                RoundForm(
                    x: x, y: y, radiusX: radius, radiusY: radius * seed.between(1.1, 1.4), colour: colour,
                    shadow: colour.lit(0.3)))
            let top = y - radius * seed.between(1.9, 2.6)
            necks.append((x - neck, x + neck, top, y, colour))
            forms.append(
                RoundForm(
                    x: x, y: top, radiusX: neck * 1.25, radiusY: neck * 0.4, colour: colour.lit(1.1),
                    shadow: colour.lit(0.35)))
        }
        for _ in 0..<(4 + seed.index(6)) {
            let colour = seed.pick([
                palette.accent, palette.second, palette.second, palette.green,
                palette.accent.mixed(palette.second, 0.5),
            ])
            let radius = unit * seed.between(0.05, 0.095)
            let base = edge + (extent.height - edge) * seed.between(0.15, 0.72)
            forms.append(
                RoundForm(
                    x: extent.width * (0.5 + seed.between(-0.4, 0.4) * seed.between(0.4, 1)),
                    y: base - radius, radiusX: radius * seed.between(1, 1.18),
                    radiusY: radius, colour: colour, shadow: colour.lit(0.28).mixed(palette.dark, 0.3)))
        }
        self.forms = forms.sorted { $0.y + $0.radiusY > $1.y + $1.radiusY }
        self.necks = necks
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        for form in forms {
            if form.contains(x, y) { return form.tone(x, y) }
            for neck in necks where neck.left < form.x && form.x < neck.right && form.y == neck.bottom {
                if x > neck.left && x < neck.right && y > neck.top && y < neck.bottom {
                    let across = (x - neck.left) / (neck.right - neck.left)
                    let light = 1.15 - abs(across - 0.3) * 1.2
                    return Tone(
                        colour: neck.colour.lit(0.3).mixed(neck.colour.lit(1.15), light), directionX: 0,
                        directionY: 1)
                }
            }
        }
        return y < edge ? wall(x, y) : table(x, y)
    }

    private func wall(_ x: Float, _ y: Float) -> Tone {
        let base = pale ? palette.soft : palette.deep
        let light = (1 - x / extent.width) * 0.55 + 0.2 + noise.detailed(x * 3, y * 3) * 0.25
        let colour = base.lit(0.62).mixed(pale ? palette.light : palette.middle, light * 0.75)
        return Tone(colour: colour, directionX: noise.value(x * 4, y * 4), directionY: 0.7)
    }

    private func table(_ x: Float, _ y: Float) -> Tone {
        let depth = (y - edge) / (extent.height - edge)
        var tone: Tone
        let lean = depth * 0.06
        if x > cloth.left - lean && x < cloth.right + lean && depth < 0.96 {
            let fold = noise.value(x * 16 + depth * 3, depth * 1.5)
            tone = Tone(
                colour: palette.light.lit(0.9 + fold * 0.14).mixed(palette.blue, max(0, -fold) * 0.35),
                directionX: 0.25, directionY: 1)
        } else {
            let grain = noise.value(x * 4, y * 60)
            tone = Tone(colour: palette.middle.mixed(palette.deep, 0.3 + depth * 0.35 + grain * 0.2))
        }
        for form in forms where form.y + form.radiusY > edge - extent.short * 0.02 {
            // The shadow lies on the table, to the right.
            let right = (x - form.x - form.radiusX * 0.7) / (form.radiusX * 1.35)
            let down = (y - form.y - form.radiusY * 0.86) / (form.radiusY * 0.34)
            let inside = 1 - right * right - down * down
            if inside > 0 { tone.colour = tone.colour.mixed(palette.dark, min(0.72, inside * 1.6)) }
        }
        return tone
    }
}
