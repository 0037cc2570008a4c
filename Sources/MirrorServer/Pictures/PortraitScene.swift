/// A head and shoulders, half turned into light that comes from the left.
struct PortraitScene: Scene {
    private let extent: Extent
    private let palette: Palette
    private let noise: PictureNoise
    private let head: RoundForm
    private let hair: RoundForm
    private let hat: Bool
    private let turn: Float
    private let cloak: Colour
    private let skinShadow: Colour
    private let hairColour: Colour
    private let collar: Float

    init(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) {
        self.extent = extent
        self.palette = palette
        noise = PictureNoise(&seed)
        let unit = min(extent.short, extent.height * 0.85)
        let skin = seed.pick([
            Colour(0xe9bf9b), Colour(0xd9a47c), Colour(0xb87a54), Colour(0xf0cdb0), Colour(0x8a5a40),
        ])
        let shadow = skin.lit(0.36).mixed(palette.deep, 0.35)
        skinShadow = shadow
        let x = extent.width * seed.between(0.43, 0.57)
        let y = extent.height * 0.38
        let radius = unit * seed.between(0.145, 0.175)
        head = RoundForm(
            x: x, y: y, radiusX: radius, radiusY: radius * 1.32, colour: skin, shadow: shadow, gloss: 0.1)
        let colour = seed.pick([
            palette.dark, Colour(0x4a2f1e), Colour(0x241a18), Colour(0x8a6a3c), Colour(0x9a9188),
        ])
        hairColour = colour
        let long = seed.between(1.2, 1.75)
        hair = RoundForm(
            x: x + radius * 0.08, y: y - radius * 0.25 + (long - 1.2) * radius * 0.9, radiusX: radius * 1.28,
            radiusY: radius * long,
            colour: colour.lit(1.35), shadow: colour.lit(0.5), gloss: 0)
        hat = seed.chance(0.4)
        turn = seed.between(-0.3, 0.3)
        cloak = seed.pick([palette.deep, palette.accent, palette.blue, palette.green, palette.dark]).lit(0.8)
        collar = seed.between(0, 1)
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        let right = (x - head.x) / head.radiusX, down = (y - head.y) / head.radiusY
        if hat, let tone = hatTone(right, down) { return tone }
        if head.contains(x, y) && !(down < -0.62 + right * right * 0.35) { return face(x, y, right, down) }
        if down > 0.5 && down < 1.5 && abs(right) < 0.48 + max(0, down - 1.1) * 0.6 {
            let light = 0.6 - right * 0.8 - (down < 1.2 ? 0.4 : 0)
            return Tone(colour: skinShadow.mixed(head.colour, light), directionX: 0.2, directionY: 1)
        }
        if down < 0.9 || hair.radiusY > head.radiusX * 1.6, hair.contains(x, y) {
            var tone = hair.tone(x, y)
            tone.colour = tone.colour.lit(1 + noise.value(x * 70, y * 14) * 0.25)
            return tone
        }
        if let tone = body(x, y, right, down) { return tone }
        let glow = 0.5 - (x / extent.width - 0.25) * 0.6 + noise.detailed(x * 3, y * 3) * 0.28 - y * 0.15
        return Tone(
            colour: palette.dark.mixed(palette.middle, glow), directionX: 0.7 + noise.value(x * 3, y * 4),
            directionY: 0.8)
    }

    private func face(_ x: Float, _ y: Float, _ right: Float, _ down: Float) -> Tone {
        var tone = head.tone(x, y)
        // Distance from the face's own middle line, which turns with the head.
        let side = right - turn * (1 - down * down * 0.5)
        func soften(
            _ centreX: Float, _ centreY: Float, _ width: Float, _ height: Float, _ colour: Colour,
            _ amount: Float
        ) {
            let across = (side - centreX) / width, along = (down - centreY) / height
            let inside = 1 - across * across - along * along
            if inside > 0 { tone.colour = tone.colour.mixed(colour, min(1, inside * 2) * amount) }
        }
        let dark = hairColour.mixed(palette.dark, 0.6)
        for eye in [Float(-0.4), 0.4] {
            soften(eye, -0.05, 0.3, 0.17, skinShadow, 0.55)
            soften(eye, -0.22, 0.27, 0.055, dark, 0.75)
            soften(eye, -0.04, 0.2, 0.07, Colour(0.93, 0.9, 0.84).mixed(skinShadow, 0.35), 0.9)
            soften(eye + turn * 0.12, -0.04, 0.085, 0.078, dark, 1)
        }
        soften(0.13, 0.16, 0.13, 0.3, skinShadow, 0.6)
        soften(-0.04, 0.1, 0.08, 0.3, head.colour.lit(1.12), 0.55)
        soften(0.02, 0.37, 0.17, 0.06, skinShadow, 0.75)
        soften(0, 0.57, 0.3, 0.075, palette.accent.mixed(head.colour, 0.35).lit(0.85), 0.85)
        soften(0, 0.565, 0.27, 0.02, skinShadow.lit(0.7), 0.8)
        soften(-0.5, 0.3, 0.3, 0.25, palette.accent.mixed(head.colour, 0.6), 0.4)
        return tone
    }

    private func hatTone(_ right: Float, _ down: Float) -> Tone? {
        let brim = (down + 0.62 - right * 0.08) / 0.17, across = right / 1.85
        let inBrim = brim * brim + across * across < 1
        let inCrown = down < -0.6 && down > -1.35 && abs(right) < 1.02 - (down + 0.6) * -0.12
        guard inBrim || inCrown else { return nil }
        let light = 0.75 - right * 0.35 + (inBrim && brim > 0.1 ? -0.35 : 0)
        return Tone(
            colour: palette.dark.mixed(cloak, 0.55).lit(light + 0.25), directionX: 1,
            directionY: inCrown ? 0.8 : 0.05)
    }

    private func body(_ x: Float, _ y: Float, _ right: Float, _ down: Float) -> Tone? {
        let fall = down - 1.28
        guard fall > 0 else { return nil }
        let shoulder = 0.55 + min(1.75, (fall * 3.4).squareRoot() * 1.18)
        guard abs(right) < shoulder else { return nil }
        if collar > 0.45 && fall < 0.42 && abs(right) < 0.95 - fall * 0.9 && abs(right) > fall * 0.55 - 0.02 {
            return Tone(colour: palette.light.lit(0.95 - right * 0.18), directionX: right, directionY: 1)
        }
        let fold = noise.value(right * 3.2 + down, down * 1.1)
        let colour = cloak.lit(0.85 - right * 0.3 + fold * 0.34).mixed(
            palette.dark, 0.1 + max(0, right) * 0.2)
        return Tone(colour: colour, directionX: right * 0.5 + fold * 0.4, directionY: 1)
    }
}
