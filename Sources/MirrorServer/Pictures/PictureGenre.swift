/// What kind of picture is drawn.
package enum PictureGenre: Sendable, CaseIterable {
    case landscape, seascape, stillLife, flowers, portrait, geometric, colourField
    /// A gallery room hung with pictures: for installation shots and covers.
    case interior

    /// Whether hatching suits it: what lives by colour or by soft modelling stays paint.
    var canBeEtched: Bool {
        switch self {
        case .landscape, .seascape, .stillLife: true
        case .flowers, .portrait, .geometric, .colourField, .interior: false
        }
    }

    /// What suits a picture of these proportions: heads and bouquets stand, horizons lie. Rooms only on request.
    static func drawn(for extent: Extent, _ seed: inout PictureSeed) -> PictureGenre {
        let ratio = extent.width / extent.height
        if ratio > 1.75 { return seed.pick([.landscape, .seascape, .landscape, .geometric]) }
        if ratio < 0.9 {
            return seed.pick([
                .portrait, .portrait, .flowers, .landscape, .geometric, .colourField, .stillLife,
            ])
        }
        return seed.pick([
            .landscape, .landscape, .seascape, .stillLife, .stillLife, .geometric, .flowers, .colourField,
            .portrait,
        ])
    }

    func scene(_ extent: Extent, _ palette: Palette, _ seed: inout PictureSeed) -> any Scene {
        switch self {
        case .landscape: LandscapeScene(extent, palette, &seed)
        case .seascape: SeascapeScene(extent, palette, &seed)
        case .stillLife: StillLifeScene(extent, palette, &seed)
        case .flowers: FlowersScene(extent, palette, &seed)
        case .portrait: PortraitScene(extent, palette, &seed)
        case .geometric: GeometricScene(extent, palette, &seed)
        case .colourField: ColourFieldScene(extent, palette, &seed)
        case .interior: InteriorScene(extent, palette, &seed)
        }
    }
}
