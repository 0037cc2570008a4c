/// The paints that one picture is made of.
struct Palette {
    /// From the darkest dark to the lightest light, in one harmony.
    let dark: Colour
    let deep: Colour
    let middle: Colour
    let soft: Colour
    let light: Colour
    /// What stands out.
    let accent: Colour
    let second: Colour
    /// Leaves and fields.
    let green: Colour
    /// Skies and water.
    let blue: Colour

    init(
        _ dark: Int, _ deep: Int, _ middle: Int, _ soft: Int, _ light: Int, _ accent: Int, _ second: Int,
        _ green: Int, _ blue: Int
    ) {
        self.dark = Colour(dark)
        self.deep = Colour(deep)
        self.middle = Colour(middle)
        self.soft = Colour(soft)
        self.light = Colour(light)
        self.accent = Colour(accent)
        self.second = Colour(second)
        self.green = Colour(green)
        self.blue = Colour(blue)
    }

    static let all: [Palette] = [
        // Dutch evening
        Palette(0x1c1712, 0x3d2f22, 0x7a5c3c, 0xc19a68, 0xefdcb4, 0xb5482a, 0xd9a441, 0x55603a, 0x6d8794),
        // Provence
        Palette(0x22303c, 0x3f5f6f, 0x8a9a78, 0xd8b878, 0xf6ead0, 0xd96c3a, 0xe8b54a, 0x6f8c4c, 0x5f9dbf),
        // Nocturne
        Palette(0x0f1722, 0x20344a, 0x3f5f78, 0x88a0a8, 0xd9dccb, 0xe0a94f, 0xb0603c, 0x36544c, 0x34587c),
        // Rose morning
        Palette(0x3a2a38, 0x6e4a5c, 0xb07c86, 0xe4b8ac, 0xfbeadb, 0xd2556a, 0xf0c27c, 0x7d9474, 0x9db8cc),
        // Venetian
        Palette(0x1d1a20, 0x4a2530, 0x8c4436, 0xcf8f58, 0xf2dcae, 0xa8261f, 0xd8a12f, 0x3f5a40, 0x3d6f88),
        // Northern light
        Palette(0x232a2e, 0x4a575c, 0x859092, 0xbfc4bd, 0xeeeae0, 0xb4553c, 0xc9a25a, 0x68785c, 0x8faab8),
        // Woodcut
        Palette(0x152338, 0x24507a, 0x5b8aa6, 0xbfcfc4, 0xf3ead2, 0xc23b2c, 0xdba54a, 0x6c8f73, 0x2f6f9f),
        // Fauve
        Palette(0x1f2247, 0x2f5d8c, 0x3f9a7a, 0xf0b64c, 0xfbeccb, 0xe0452f, 0xe88aa0, 0x5aa348, 0x3f84c4),
        // Spring
        Palette(0x2c3a2c, 0x54704e, 0x8fac74, 0xcfd9a0, 0xf8f3dc, 0xd97a94, 0xe9c65a, 0x7fa85a, 0x96c0d6),
        // Ochre and slate
        Palette(0x25211f, 0x51463e, 0x94785a, 0xcdb48c, 0xf1e6cf, 0x9c3f2c, 0xc8923c, 0x6b6b46, 0x60737f),
    ]
}
