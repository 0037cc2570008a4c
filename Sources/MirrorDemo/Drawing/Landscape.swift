/// The random composition of a landscape: ridges of hills in haze, a sky with the sun or the moon, sometimes a lake.
///
/// Wide pictures have long low ridges, tall ones have many above each other, as on a hanging scroll.
struct Landscape {
    struct Ridge {
        /// The average height of the crest, from the upper edge, and its deviation up and down.
        let base: Float
        let amplitude: Float
        /// The number of hills per unit.
        let frequency: Float
        /// 0 for round hills to 1 for pointed peaks.
        let sharpness: Float
        /// The distance below the crest at which the colour is that of the haze.
        let depth: Float
        let crest: Colour
        let haze: Colour
        /// The maximum height of treetops above the crest; 0 for bare hills.
        let trees: Float
        let noise: PictureNoise
    }

    struct Cloud {
        let y: Float
        let thickness: Float
        let frequency: Float
        let noise: PictureNoise
    }

    let palette: Palette
    /// The reference length for forms: the side of a square with the picture's area.
    let unit: Float
    /// The height at which the sky has its lowest colour.
    let horizon: Float
    /// The sun or the moon.
    let discX: Float
    let discY: Float
    let discRadius: Float
    /// The upper edge of the lake; `nil` if there is none.
    let lake: Float?
    private(set) var clouds: [Cloud] = []
    /// From the farthest to the nearest.
    private(set) var ridges: [Ridge] = []
    let texture: PictureNoise
    let ripples: PictureNoise

    init(_ extent: Extent, _ seed: inout PictureSeed) {
        palette = .chosen(&seed)
        texture = PictureNoise(&seed)
        ripples = PictureNoise(&seed)
        let (width, height) = (extent.width, extent.height)
        unit = (width * height).squareRoot()
        horizon = height * seed.between(0.4, 0.58)
        let skyRoom = min(unit, 1.6 * height)
        discRadius = skyRoom * seed.between(0.035, 0.085)
        discX = width * seed.between(0.22, 0.78)
        discY = max(1.4 * discRadius, horizon - skyRoom * seed.between(0.06, 0.3))
        lake = seed.chance(0.35) ? horizon + (height - horizon) * seed.between(0.22, 0.4) : nil

        for _ in 0..<Int(seed.between(1, 5)) {
            clouds.append(
                Cloud(
                    y: horizon * seed.between(0.12, 0.85), thickness: unit * seed.between(0.012, 0.05),
                    frequency: seed.between(1.2, 2.6) / unit, noise: PictureNoise(&seed)))
        }

        let count = 4 + Int(min(5, 2 * height / width))
        let sharpness = seed.chance(0.5) ? seed.between(0.5, 1) : seed.between(0, 0.2)
        let wooded = seed.chance(0.55)
        for index in 0..<count {
            let part = Float(index) / Float(count - 1)
            var base = horizon + (height - horizon) * 0.92 * part * (0.55 + 0.45 * part)
            // Far ridges are behind the lake, near ridges are in front of it.
            if let lake {
                base =
                    part < 0.5
                    ? min(base, lake - 0.02 * unit) : max(base, lake + (height - lake) * part * 0.8)
            }
            let colour = palette.far.mixed(palette.near, part * (0.6 + 0.4 * part))
            ridges.append(
                Ridge(
                    base: base, amplitude: unit * (0.13 - 0.07 * part) * seed.between(0.7, 1.3),
                    frequency: (3.2 - 1.4 * part) / unit * seed.between(0.8, 1.25),
                    sharpness: sharpness * (1 - part), depth: unit * (0.2 + 0.1 * part),
                    crest: colour,
                    haze: colour.mixed(palette.horizon, 0.62 - 0.4 * part),
                    trees: wooded && part > 0.6 ? unit * 0.045 * part : 0,
                    noise: PictureNoise(&seed)))
        }
    }
}
