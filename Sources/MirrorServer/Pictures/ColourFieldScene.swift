/// Two or three clouds of colour that hover on a ground, their edges breathing.
struct ColourFieldScene: Scene {
    private let extent: Extent
    private let noise: PictureNoise
    private let ground: Colour
    private let under: Colour
    private let fields: [(top: Float, bottom: Float, colour: Colour, glow: Colour)]
    private let margin: Float

    init(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) {
        self.extent = extent
        noise = PictureNoise(&seed)
        let warm = seed.chance(0.6)
        ground = warm ? palette.accent.mixed(palette.deep, 0.55) : palette.deep.mixed(palette.blue, 0.4)
        under = palette.middle
        margin = extent.short * seed.between(0.06, 0.1)
        let choices =
            warm
            ? [palette.second, palette.accent, palette.soft, palette.dark, palette.light]
            : [palette.blue, palette.light, palette.green, palette.dark, palette.soft]
        let first = seed.index(choices.count)
        let cut = extent.height * seed.between(0.32, 0.66)
        let gap = extent.height * seed.between(0.02, 0.04)
        let narrow = extent.height * seed.between(0.1, 0.16)
        var edges: [(Float, Float)] = [(margin, cut - gap), (cut + gap, extent.height - margin)]
        if seed.chance(0.55) {
            edges = [(margin, cut - gap), (cut, cut + narrow), (cut + narrow + gap, extent.height - margin)]
        }
        fields = edges.enumerated().map { index, edge in
            let colour = choices[(first + index * 2) % choices.count]
            return (edge.0, edge.1, colour, choices[(first + index * 2 + 1) % choices.count])
        }
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        let sway = noise.detailed(x * 5, y * 5)
        var colour = ground.mixed(under, 0.12 + sway * 0.2)
        let soft = extent.short * 0.035
        for field in fields {
            let fray = noise.detailed(x * 11, y * 11 + field.top * 40) * soft * 1.1
            let inside =
                min(min(x - margin, extent.width - margin - x), min(y - field.top, field.bottom - y)) + fray
            let cover = max(0, min(1, inside / soft + 0.35))
            let depth = noise.detailed(x * 2.5, y * 4 + field.top * 20)
            colour = colour.mixed(
                field.colour.mixed(field.glow, 0.16 + depth * 0.3), cover * (0.9 + sway * 0.1))
        }
        return Tone(colour: colour, directionX: 1, directionY: sway * 0.9)
    }
}
