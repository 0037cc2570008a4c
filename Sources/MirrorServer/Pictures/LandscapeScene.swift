/// Sky, ridges that fade with distance, fields or a river in front, a few trees.
struct LandscapeScene: Scene {
    private struct Tree {
        let x: Float, base: Float, width: Float, height: Float
        let colour: Colour
    }

    private let extent: Extent
    private let palette: Palette
    private let noise: PictureNoise
    private let horizon: Float
    private let ridges: [(base: Float, rise: Float, stretch: Float, colour: Colour)]
    private let sun: (x: Float, y: Float, radius: Float)
    private let evening: Bool
    private let river: Bool
    private let riverEnd: Float
    private let trees: [Tree]

    init(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) {
        self.extent = extent
        self.palette = palette
        noise = PictureNoise(&seed)
        let horizon = extent.height * seed.between(0.38, 0.6)
        self.horizon = horizon
        evening = seed.chance(0.5)
        river = seed.chance(0.55)
        riverEnd = seed.between(0.2, 0.8)
        sun = (
            extent.width * seed.between(0.15, 0.85), horizon * seed.between(0.3, 0.85),
            extent.short * seed.between(0.035, 0.07)
        )
        let count = 2 + seed.index(3)
        ridges = (0..<count).map { index in
            let near = Float(index + 1) / Float(count)
            return (
                horizon + extent.height * (near * 0.14 - 0.04),
                extent.height * seed.between(0.05, 0.14) * (1.2 - near * 0.6),
                seed.between(2, 5),
                palette.soft.mixed(palette.blue, 0.6).mixed(palette.deep.mixed(palette.green, 0.5), near)
            )
        }
        let slender = seed.chance(0.5)
        trees = (0..<(2 + seed.index(5))).map { _ in
            let depth = seed.between(0.08, 0.6)
            let height = extent.short * (0.12 + depth * 0.42) * (slender ? 1.1 : 0.8)
            return Tree(
                x: extent.width * seed.between(0.02, 0.98), base: horizon + (extent.height - horizon) * depth,
                width: height * (slender ? seed.between(0.1, 0.16) : seed.between(0.32, 0.46)),
                height: height,
                colour: palette.green.mixed(palette.dark, seed.between(0.3, 0.75)))
        }.sorted { $0.base > $1.base }
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        for tree in trees {
            if let tone = tone(of: tree, x, y) { return tone }
        }
        for ridge in ridges.reversed() {
            let line =
                ridge.base - ridge.rise * (0.5 + noise.detailed(x * ridge.stretch + ridge.base * 90, 3))
            if y > line && y < horizon + extent.height * 0.12 && y < ground(x) {
                let slope = noise.value(x * 14, y * 20 + ridge.base * 50)
                return Tone(
                    colour: ridge.colour.lit(1 + slope * 0.14).mixed(palette.light, (y - line) * 0.5),
                    directionX: 1, directionY: slope * 0.6)
            }
        }
        return y < horizon ? sky(x, y) : y < ground(x) ? sky(x, horizon) : field(x, y)
    }

    private func ground(_ x: Float) -> Float {
        horizon + extent.height * (0.035 + 0.025 * noise.value(x * 3, 71))
    }

    private func sky(_ x: Float, _ y: Float) -> Tone {
        let down = y / horizon
        let low = evening ? palette.second.mixed(palette.light, 0.45) : palette.light
        let high = evening ? palette.blue.mixed(palette.deep, 0.35) : palette.blue
        var colour = high.mixed(low, down * down * 0.9 + 0.05)
        let cloud = noise.detailed(x * 4 + 9, y * 11) - 0.05 + (down - 0.5) * 0.2
        if cloud > 0 {
            let lit = evening ? palette.accent.mixed(palette.light, 0.6) : Colour(0.99, 0.97, 0.93)
            colour = colour.mixed(lit.mixed(high.lit(0.85), max(0, 0.35 - cloud)), cloud * 2.6)
        }
        let right = x - sun.x, below = y - sun.y
        let distance = (right * right + below * below).squareRoot()
        colour = colour.mixed(palette.light, 0.5 * max(0, 1 - distance / (sun.radius * 6)))
        if distance < sun.radius {
            colour = evening ? palette.accent.mixed(palette.second, 0.6) : Colour(1, 0.97, 0.86)
        }
        return Tone(colour: colour, directionX: 1, directionY: noise.value(x * 3, y * 5) * 0.7)
    }

    private func field(_ x: Float, _ y: Float) -> Tone {
        let depth = (y - horizon) / (extent.height - horizon)
        let bend = noise.value(depth * 2.2, 5) * 0.22 * (1 - depth * 0.3)
        let middle = extent.width * (0.5 + (riverEnd - 0.5) * depth * 1.4 + bend)
        let width = extent.short * (0.012 + depth * depth * 0.26)
        if river && abs(x - middle) < width {
            let ripple = noise.value(x * 12, y * 90) * 0.5 + 0.5
            let reflected = sky(x, max(0, horizon - (y - horizon) * 1.1)).colour
            return Tone(colour: reflected.lit(0.93).mixed(palette.deep, ripple * 0.28))
        }
        let patch = noise.detailed(x * (9 - depth * 5), depth * 9)
        let stripe = noise.value((x - extent.width * 0.5) / (0.12 + depth) * 12, depth * 2)
        let grass = palette.green.mixed(palette.second, 0.35 + patch * 0.5)
        let colour = grass.mixed(stripe > 0 ? palette.soft : palette.deep, abs(stripe) * 0.4)
            .mixed(palette.dark, max(0, depth - 0.55) * 0.6)
        return Tone(
            colour: colour, directionX: (x - extent.width * 0.5) * 1.4, directionY: 0.12 + depth * 0.25)
    }

    private func tone(of tree: Tree, _ x: Float, _ y: Float) -> Tone? {
        let right = (x - tree.x) / tree.width, up = (tree.base - y) / tree.height
        guard up > 0, up < 1.05, abs(right) < 1.3 else { return nil }
        if up < 0.3 && abs(right) < 0.06 {
            return Tone(colour: palette.dark.mixed(palette.deep, 0.3), directionX: 0, directionY: 1)
        }
        let crown = (up - 0.58) / 0.44
        let edge = right * right + crown * crown + noise.detailed(x * 60, y * 60) * 0.55
        guard edge < 0.85 else { return nil }
        let light = 0.45 - 0.5 * right + crown * 0.35 + noise.value(x * 90, y * 90) * 0.4
        let colour = tree.colour.mixed(palette.green.mixed(palette.second, 0.4), light * 0.75)
        return Tone(colour: colour, directionX: 0.3 + right, directionY: 1)
    }
}
