/// A low horizon, much sky, bands of water, a few sails, light that falls in a path.
struct SeascapeScene: Scene {
    private struct Boat {
        let x: Float, y: Float, size: Float, lean: Float
        let sail: Colour
    }

    private let extent: Extent
    private let palette: Palette
    private let noise: PictureNoise
    private let horizon: Float
    private let light: (x: Float, y: Float, radius: Float)
    private let stormy: Float
    private let beach: Float
    private let boats: [Boat]

    init(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) {
        self.extent = extent
        self.palette = palette
        noise = PictureNoise(&seed)
        let horizon = extent.height * seed.between(0.5, 0.68)
        self.horizon = horizon
        light = (
            extent.width * seed.between(0.2, 0.8), horizon * seed.between(0.25, 0.8),
            extent.short * seed.between(0.03, 0.06)
        )
        stormy = seed.between(0, 0.7)
        beach = seed.chance(0.4) ? seed.between(0.12, 0.25) : 0
        boats = (0..<(1 + seed.index(4))).map { _ in
            let depth = seed.between(0.02, 0.45)
            return Boat(
                x: extent.width * seed.between(0.08, 0.92), y: horizon + (extent.height - horizon) * depth,
                size: extent.short * (0.05 + depth * 0.45), lean: seed.between(-0.12, 0.12),
                sail: seed.pick([palette.light, palette.soft, palette.accent, palette.second]))
        }.sorted { $0.y > $1.y }
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        for boat in boats {
            if let tone = tone(of: boat, x, y) { return tone }
        }
        return y < horizon ? sky(x, y) : sea(x, y)
    }

    private func sky(_ x: Float, _ y: Float) -> Tone {
        let down = y / horizon
        var colour = palette.blue.mixed(palette.deep, stormy * 0.8).mixed(palette.light, down * 0.75)
            .mixed(palette.second, max(0, down - 0.6) * 0.7)
        let swirl = noise.value(x * 2.5, y * 3)
        let cloud = noise.detailed(x * 3 + swirl, y * 6 + swirl * 0.5)
        if cloud > -0.05 {
            let body = palette.light.mixed(palette.middle, stormy * 0.8 + max(0, cloud) * 0.5)
            colour = colour.mixed(body, (cloud + 0.05) * 2.4)
        }
        let right = x - light.x, below = y - light.y
        let distance = (right * right + below * below).squareRoot()
        colour = colour.mixed(
            palette.light.mixed(palette.second, 0.3), 0.75 * max(0, 1 - distance / (light.radius * 6)))
        if distance < light.radius { colour = Colour(1, 0.96, 0.85) }
        return Tone(colour: colour, directionX: 1, directionY: swirl * 1.2)
    }

    private func sea(_ x: Float, _ y: Float) -> Tone {
        let depth = (y - horizon) / (extent.height - horizon)
        let shore = 1 - beach + 0.04 * noise.value(x * 5, 8)
        if beach > 0 && depth > shore {
            let wet = max(0, 1 - (depth - shore) * 14)
            let sand = palette.soft.mixed(palette.middle, 0.3 + 0.3 * noise.detailed(x * 9, y * 20))
            return Tone(colour: sand.mixed(depth - shore < 0.018 ? palette.light : palette.blue, wet * 0.6))
        }
        let pitch = 70 - depth * 45
        let wave =
            noise.value(x * (6 + 14 * (1 - depth)), y * pitch) + 0.4 * noise.value(x * 25, y * pitch * 2)
        var colour = palette.blue.mixed(palette.light, 0.35 * (1 - depth)).mixed(palette.deep, depth * 0.75)
        colour = wave > 0 ? colour.mixed(palette.soft, wave * 0.35) : colour.mixed(palette.dark, wave * -0.3)
        if wave > 0.75 && stormy > 0.25 { colour = colour.mixed(palette.light, 0.8) }
        let path = abs(x - light.x) / (light.radius * (0.7 + depth * 3))
        if path < 1 && wave > -0.1 {
            colour = colour.mixed(palette.light.mixed(palette.second, 0.25), (1 - path) * 0.85)
        }
        return Tone(colour: colour, directionX: 1, directionY: wave * 0.25)
    }

    private func tone(of boat: Boat, _ x: Float, _ y: Float) -> Tone? {
        let up = (boat.y - y) / boat.size
        let right = (x - boat.x) / boat.size - up * boat.lean
        if up < 0.1 && up > -0.1 {
            let hull = 0.42 + up * 1.2
            if abs(right) < hull { return Tone(colour: palette.dark.mixed(palette.deep, 0.35)) }
        }
        if up > -0.7 && up < -0.1 {
            let glint = noise.value(x * 30, y * 120)
            if abs(right) < 0.34 + up * 0.3 && glint > -0.2 {
                return Tone(colour: boat.sail.mixed(palette.deep, 0.65))
            }
        }
        guard up >= 0.1, up < 1.5 else { return nil }
        if abs(right) < 0.022 { return Tone(colour: palette.dark, directionX: boat.lean, directionY: 1) }
        let mast = 1 - (up - 0.1) / 1.35
        let belly = 0.5 * mast + 0.06
        if right > 0 && right < belly {
            return Tone(colour: boat.sail.lit(1.05 - right * 0.5), directionX: 0.3, directionY: 1)
        }
        if right < 0 && right > -0.34 * mast {
            return Tone(colour: boat.sail.lit(0.78), directionX: -0.3, directionY: 1)
        }
        return nil
    }
}
