/// A gallery room: a wall hung with framed pictures, each under its lamp, a floor and a bench.
struct InteriorScene: Scene {
    private struct Hanging {
        let x: Float, y: Float, width: Float, height: Float
        let frame: Colour, mat: Colour
        let picture: any Scene
        let extent: Extent
    }

    private let extent: Extent
    private let palette: Palette
    private let noise: PictureNoise
    private let wall: Colour
    private let floor: Colour
    private let edge: Float
    private let hangings: [Hanging]
    private let bench: Float

    init(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) {
        self.extent = extent
        self.palette = palette
        noise = PictureNoise(&seed)
        wall = seed.pick([
            palette.light.lit(0.93), palette.soft.mixed(palette.light, 0.3), palette.deep,
            palette.blue.mixed(palette.deep, 0.5),
            palette.accent.mixed(palette.deep, 0.7), palette.light.lit(0.88).mixed(palette.green, 0.2),
        ])
        floor = seed.pick([Colour(0xa07a50), Colour(0x7c5a3c), Colour(0xb8a78c), Colour(0x8d8880)])
        let edge = extent.height * seed.between(0.72, 0.78)
        self.edge = edge
        bench = seed.chance(0.6) ? extent.width * seed.between(0.3, 0.7) : -1
        let count = max(1, Int((extent.width / edge * 2.1).rounded(.down)) + seed.index(2))
        let slot = extent.width / Float(count)
        hangings = (0..<count).map { index in
            let aspect = seed.pick([Float(0.76), 1, 1.3, 0.8, 1.25])
            let height = min(edge * seed.between(0.4, 0.56), slot * 0.76 / aspect)
            let inner = Extent(aspectRatio: aspect)
            let paints = seed.pick(Palette.all)
            let picture: any Scene =
                switch seed.index(5) {
                case 0: SeascapeScene(inner, paints, &seed)
                case 1:
                    aspect < 1 ? PortraitScene(inner, paints, &seed) : StillLifeScene(inner, paints, &seed)
                case 2: GeometricScene(inner, paints, &seed)
                case 3: FlowersScene(inner, paints, &seed)
                default: LandscapeScene(inner, paints, &seed)
                }
            return Hanging(
                x: slot * (Float(index) + 0.5), y: edge * 0.47, width: height * aspect, height: height,
                frame: seed.pick([Colour(0xb08a44), Colour(0x3a2a20), Colour(0x8a6a3a), Colour(0xe8e0d0)]),
                mat: Colour(0xf2ece0),
                picture: picture, extent: inner)
        }
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        if let tone = benchTone(x, y) { return tone }
        for hanging in hangings {
            let right = x - hanging.x, down = y - hanging.y
            let outside = max(abs(right) - hanging.width * 0.5, abs(down) - hanging.height * 0.5)
            if outside < 0 {
                let scale = hanging.extent.height / hanging.height
                return hanging.picture.tone(
                    right * scale + hanging.extent.width * 0.5, down * scale + hanging.extent.height * 0.5)
            }
            let frame = extent.short * 0.022
            if outside < frame {
                let side = abs(down) - hanging.height * 0.5 > abs(right) - hanging.width * 0.5
                let light: Float = side ? (down < 0 ? 1.2 : 0.7) : (right < 0 ? 1.05 : 0.8)
                return Tone(
                    colour: hanging.frame.lit(light), directionX: side ? 1 : 0, directionY: side ? 0 : 1)
            }
        }
        return y < edge ? wallTone(x, y) : floorTone(x, y)
    }

    private func wallTone(_ x: Float, _ y: Float) -> Tone {
        if y > edge - extent.height * 0.025 { return Tone(colour: wall.mixed(palette.light, 0.7).lit(0.9)) }
        var light: Float = 0.74 + noise.detailed(x * 2, y * 2) * 0.04
        for hanging in hangings {
            let right = (x - hanging.x) / (hanging.width * 1.15 + 0.04),
                down = (y - hanging.y + hanging.height * 0.25) / (hanging.height * 1.25)
            light += 0.36 * max(0, 1 - right * right - down * down)
            let shade = max(
                abs(x - hanging.x - extent.short * 0.012) - hanging.width * 0.5,
                abs(y - hanging.y - extent.short * 0.02) - hanging.height * 0.5)
            if shade < extent.short * 0.03 { light -= 0.2 }
        }
        return Tone(colour: wall.lit(light), directionX: 0.3, directionY: 1)
    }

    private func floorTone(_ x: Float, _ y: Float) -> Tone {
        let depth = (y - edge) / (extent.height - edge)
        let lane = (x - extent.width * 0.5) / (0.55 + depth) * 16
        let board = noise.value(lane.rounded(.down) * 7.3 + 0.5, 4.5)
        let seam: Float = lane - lane.rounded(.down) < 0.07 ? 0.8 : 1
        let gleam = 0.25 * max(0, 1 - depth * 1.6)
        let colour = floor.lit((0.92 + board * 0.14) * seam).mixed(wall.lit(1.1), gleam)
        return Tone(colour: colour, directionX: (x - extent.width * 0.5) * 1.3, directionY: 0.5)
    }

    private func benchTone(_ x: Float, _ y: Float) -> Tone? {
        guard bench >= 0 else { return nil }
        let right = abs(x - bench) / extent.short, down = (y - extent.height * 0.84) / extent.short
        if right < 0.26 && down > 0 && down < 0.035 {
            return Tone(colour: Colour(0x2a211c).mixed(palette.middle, down < 0.012 ? 0.55 : 0.15))
        }
        if down >= 0.035 && down < 0.11 && right > 0.2 && right < 0.225 {
            return Tone(colour: Colour(0x2a211c), directionX: 0, directionY: 1)
        }
        let across = right / 0.28, shade = (down - 0.115) / 0.02
        if across * across + shade * shade < 1 { return Tone(colour: floor.lit(0.5)) }
        return nil
    }
}
