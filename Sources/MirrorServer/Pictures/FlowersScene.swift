/// A bouquet in a vase, the blossoms crowding one another.
struct FlowersScene: Scene {
    private struct Blossom {
        let x: Float, y: Float, radius: Float, petals: Float, turn: Float
        let outer: Colour, inner: Colour
    }

    private let extent: Extent
    private let palette: Palette
    private let noise: PictureNoise
    private let vase: RoundForm
    private let bouquet: (x: Float, y: Float, radius: Float)
    private let blossoms: [Blossom]
    private let table: Float
    private let pale: Bool

    init(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) {
        self.extent = extent
        self.palette = palette
        noise = PictureNoise(&seed)
        pale = seed.chance(0.4)
        let unit = extent.short
        let middle = extent.width * seed.between(0.44, 0.56)
        let bouquet = (x: middle, y: extent.height * 0.4, radius: unit * seed.between(0.3, 0.37))
        self.bouquet = bouquet
        table = extent.height * 0.86
        let glaze = seed.pick([palette.blue, palette.light, palette.deep, palette.accent])
        let height = (extent.height * 0.92 - bouquet.y) * 0.42
        vase = RoundForm(
            x: middle, y: extent.height * 0.92 - height, radiusX: unit * seed.between(0.12, 0.16),
            radiusY: height,
            colour: glaze, shadow: glaze.lit(0.3), gloss: 0.7)
        let colours = [
            palette.accent, palette.second, palette.light, palette.soft,
            palette.accent.mixed(palette.light, 0.55), palette.blue,
        ]
        let favourite = seed.pick(colours)
        blossoms = (0..<(16 + seed.index(16))).map { index in
            // The sum of two dice: denser towards the middle.
            let right = seed.between(-0.5, 0.5) + seed.between(-0.5, 0.5)
            let down = seed.between(-0.5, 0.5) + seed.between(-0.5, 0.5)
            let outer = seed.chance(0.4) ? favourite : seed.pick(colours)
            return Blossom(
                x: bouquet.x + right * bouquet.radius * 1.05, y: bouquet.y + down * bouquet.radius,
                radius: unit * seed.between(0.04, 0.085), petals: Float(4 + seed.index(4)),
                turn: seed.unit() * 6,
                outer: outer, inner: seed.pick([palette.second, palette.dark, palette.accent]))
        }
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        for blossom in blossoms {
            let right = x - blossom.x, down = (y - blossom.y) * 1.15
            let distance = (right * right + down * down).squareRoot() / blossom.radius
            guard distance < 1 else { continue }
            let petal = noise.value(
                right / (blossom.radius * 0.45) + blossom.turn,
                down / (blossom.radius * 0.45) + blossom.petals)
            guard distance < 0.82 + petal * 0.18 else { continue }
            if distance < 0.24 { return Tone(colour: blossom.inner, directionX: -down, directionY: right) }
            let light =
                1.02 - (right + down) / blossom.radius * 0.16 + petal * 0.2 - distance * distance * 0.3
            return Tone(colour: blossom.outer.lit(light), directionX: right, directionY: down)
        }
        let right = (x - bouquet.x) / (bouquet.radius * 1.22),
            down = (y - bouquet.y) / (bouquet.radius * 1.08)
        let leaf = noise.detailed(x * 13, y * 13)
        if right * right + down * down + leaf * 0.9 < 0.78 && y < vase.y {
            let colour = palette.green.lit(0.55 + 0.5 * (noise.value(x * 21, y * 21) * 0.5 + 0.5)).mixed(
                palette.dark, 0.25 - leaf * 0.3)
            return Tone(colour: colour, directionX: right + leaf, directionY: down)
        }
        if vase.contains(x, y) && y > vase.y - vase.radiusY * 0.86 { return vase.tone(x, y) }
        return ground(x, y)
    }

    private func ground(_ x: Float, _ y: Float) -> Tone {
        let across = x / extent.width
        let patch = noise.detailed(x * 3, y * 3) * 0.3
        if y > table {
            var colour = palette.middle.mixed(palette.deep, 0.35 + across * 0.3 + patch)
            let right = (x - vase.x - vase.radiusX * 0.8) / (vase.radiusX * 1.6)
            let down = (y - extent.height * 0.915) / (extent.height * 0.03)
            if right * right + down * down < 1 { colour = colour.mixed(palette.dark, 0.6) }
            return Tone(colour: colour)
        }
        let near = pale ? palette.light.mixed(palette.blue, 0.3) : palette.deep
        let far = pale ? palette.soft : palette.dark
        return Tone(
            colour: near.mixed(far, across * 0.8 + 0.1 + patch), directionX: 0.6,
            directionY: noise.value(x * 5, y * 5) + 0.4)
    }
}
