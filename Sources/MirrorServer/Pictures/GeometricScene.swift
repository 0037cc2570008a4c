/// Bars, discs, rings and wedges balanced on a pale ground.
struct GeometricScene: Scene {
    private enum Kind { case bar, disc, ring, wedge }

    private struct Form {
        let kind: Kind
        let x: Float, y: Float, width: Float, height: Float
        let cosine: Float, sine: Float
        let colour: Colour
    }

    private let extent: Extent
    private let palette: Palette
    private let noise: PictureNoise
    private let ground: Colour
    private let forms: [Form]

    init(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) {
        self.extent = extent
        self.palette = palette
        noise = PictureNoise(&seed)
        ground = seed.chance(0.75) ? palette.light : palette.soft.mixed(palette.light, 0.4)
        let unit = extent.short
        // One tilt for nearly everything: that is what makes it hold together.
        let tilt = seed.between(-0.9, 0.9)
        let colours = [
            palette.accent, palette.dark, palette.deep, palette.second, palette.blue, palette.green,
            palette.accent,
        ]
        let count = 8 + seed.index(8)
        forms = (0..<count).map { index in
            let size = unit * (index > count - 4 ? seed.between(0.3, 0.5) : seed.between(0.04, 0.24))
            let kind: Kind = seed.pick([.bar, .bar, .bar, .disc, .ring, .wedge])
            let slope = seed.chance(0.8) ? tilt : -1 / (tilt + (tilt < 0 ? -0.4 : 0.4))
            let length = (1 + slope * slope).squareRoot()
            return Form(
                kind: kind, x: extent.width * (0.5 + seed.between(-0.36, 0.36)),
                y: extent.height * (0.5 + seed.between(-0.36, 0.36)),
                width: size, height: kind == .bar ? size * seed.between(0.06, 0.5) : size,
                cosine: 1 / length, sine: slope / length, colour: seed.pick(colours))
        }
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        for form in forms {
            let right = x - form.x, down = y - form.y
            let along = (right * form.cosine + down * form.sine) / form.width
            let across = (down * form.cosine - right * form.sine) / form.height
            let distance = along * along + across * across
            let inside: Bool
            switch form.kind {
            case .bar: inside = abs(along) < 1 && abs(across) < 1
            case .disc: inside = distance < 0.36
            case .ring: inside = distance < 0.36 && distance > 0.24
            case .wedge: inside = along > -0.6 && along < 0.9 && abs(across) < (0.9 - along) * 0.35
            }
            if inside {
                let worn = noise.detailed(x * 7, y * 7) * 0.07
                return Tone(
                    colour: form.colour.lit(1 + worn - along * 0.06), directionX: form.cosine,
                    directionY: form.sine)
            }
        }
        let patch = noise.detailed(x * 3, y * 3)
        return Tone(
            colour: ground.lit(0.97 + patch * 0.04).mixed(palette.soft, max(0, patch) * 0.3),
            directionX: 1, directionY: noise.value(x * 3, y * 3))
    }
}
