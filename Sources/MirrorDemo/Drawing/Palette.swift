/// A colour as light from 0 to 1 in red, green and blue.
struct Colour {
    var red: Float
    var green: Float
    var blue: Float

    init(_ red: Float, _ green: Float, _ blue: Float) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Creates a colour from six hexadecimal digits, such as `0xFF8000`.
    init(_ hex: Int) {
        self.init(Float(hex >> 16 & 255) / 255, Float(hex >> 8 & 255) / 255, Float(hex & 255) / 255)
    }

    /// Mixes two colours. `part` is the share of the other colour, from 0 to 1.
    func mixed(_ other: Colour, _ part: Float) -> Colour {
        Colour(
            red + (other.red - red) * part, green + (other.green - green) * part,
            blue + (other.blue - blue) * part)
    }
}

/// The colours of one picture.
struct Palette {
    /// The sky at the top and above the hills.
    let zenith: Colour
    let horizon: Colour
    /// The sun or moon.
    let disc: Colour
    /// The farthest and the nearest hill; the colours of hills between are mixed from both.
    let far: Colour
    let near: Colour

    private init(_ zenith: Int, _ horizon: Int, _ disc: Int, _ far: Int, _ near: Int) {
        self.init(Colour(zenith), Colour(horizon), Colour(disc), Colour(far), Colour(near))
    }

    private init(_ zenith: Colour, _ horizon: Colour, _ disc: Colour, _ far: Colour, _ near: Colour) {
        (self.zenith, self.horizon, self.disc, self.far, self.near) = (zenith, horizon, disc, far, near)
    }

    /// A random palette, mixed with up to 30 % of another.
    static func chosen(_ seed: inout PictureSeed) -> Palette {
        let (one, other) = (seed.pick(all), seed.pick(all))
        let part = seed.between(0, 0.3)
        return Palette(
            one.zenith.mixed(other.zenith, part), one.horizon.mixed(other.horizon, part),
            one.disc.mixed(other.disc, part), one.far.mixed(other.far, part), one.near.mixed(other.near, part)
        )
    }

    private static let all = [
        // Rose morning
        Palette(0x8fa6c4, 0xf5cfbf, 0xfff3e0, 0xcaa6b2, 0x3b3550),
        // Golden dusk
        Palette(0x5f7f9f, 0xf8c47c, 0xfff0c2, 0xc99676, 0x35262a),
        // Green mist
        Palette(0xb4cbcb, 0xf4f0d9, 0xfffbe8, 0xa3bda9, 0x1f3f38),
        // Blue hour
        Palette(0x1d3157, 0xa3b3c6, 0xfaf3df, 0x647f9f, 0x101b32),
        // Provence
        Palette(0x5c9cc6, 0xf6e6c0, 0xfff7da, 0x9bb5ae, 0x465a2e),
        // Autumn
        Palette(0x9fb3ba, 0xf6dba4, 0xfff4d6, 0xd39f63, 0x64291e),
        // Lilac
        Palette(0x64639e, 0xf3b7ae, 0xffe6c9, 0xa480a8, 0x2a2045),
        // Ink and vermilion
        Palette(0xd6dbd0, 0xf1eada, 0xd6523a, 0xa6b6b3, 0x1c3136),
        // Desert
        Palette(0x74aebd, 0xf9d9ae, 0xfff5dc, 0xdb9873, 0x762f26),
        // Winter
        Palette(0x8fabc4, 0xeeefee, 0xfffaf0, 0xb3c5d6, 0x2d435c),
        // Moonlight
        Palette(0x0e1a2e, 0x4a6a80, 0xf4ead0, 0x3a5b73, 0x0a121e),
        // Fauve
        Palette(0x3a83c6, 0xfcdca0, 0xffcf45, 0xe58676, 0x2b3878),
    ]
}
