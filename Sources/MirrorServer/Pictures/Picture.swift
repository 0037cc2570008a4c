// Pictures: what the server shows where a catalogue has only an image's address.
//
// `Picture.jpeg` paints a picture from nothing but the image's id. The id's SHA-256 seeds the dice (`PictureSeed`); they pick a
// genre, a palette and a composition (a `Scene`: a colour and a brush direction at every point), and a painter (`OilPainter`, or
// `Etcher` for prints) lays strokes on a `Canvas`, which `JPEGEncoder` writes. Everything is measured in units of the picture's long
// side, so each format is the same picture at another size. No image library, no floating-point function beyond the square root:
// the bytes are the same on every platform, so ETags and digests of drawn pictures hold along a chain of mirrors.

/// Draws pictures from ids. A pure function: the same arguments give the same bytes, always and everywhere.
package enum Picture {
    /// The sizes that are offered, by the API's names.
    package enum Format: String, CaseIterable, Sendable {
        /// 200 × 200 pixels, cut from the middle.
        case square
        /// Long side 320 pixels.
        case medium
        /// Long side 640 pixels.
        case larger
        /// Long side 1024 pixels.
        case normalized

        var longSide: Int {
            switch self {
            case .square: 200
            case .medium: 320
            case .larger: 640
            case .normalized: 1024
            }
        }
    }

    /// A baseline JPEG of the picture that belongs to an image's id.
    ///
    /// - Parameters:
    ///   - format: one of the API's image versions; any other name draws `larger`.
    ///   - aspectRatio: width over height, held between 1/16 and 16; nil, or what is no positive number, lets the id choose.
    ///   - genre: what to draw; nil lets the id choose among all but rooms.
    package static func jpeg(
        id: String, format: String, aspectRatio: Double?, genre: PictureGenre? = nil
    ) -> [UInt8] {
        var seed = PictureSeed(id: id)
        let format = Format(rawValue: format) ?? .larger
        let ownRatio = seed.pick([Float(0.75), 0.8, 1, 1.25, 1.33, 1.5])
        let extent = Extent(aspectRatio: ratio(aspectRatio) ?? ownRatio)
        let palette = seed.pick(Palette.all)
        let genre = genre ?? .drawn(for: extent, &seed)
        let etched = genre.canBeEtched && seed.chance(0.16)
        let scene = genre.scene(extent, palette, &seed)
        let canvas = blank(format, extent)
        var dice = seed.fork()
        if etched {
            Etcher(scene: scene, extent: extent, palette: palette).paint(canvas, &dice)
        } else {
            OilPainter(scene: scene, extent: extent).paint(canvas, &dice)
        }
        // Hatching is all contour: it costs many bytes and hides coarser quantisation well.
        return JPEGEncoder(quality: etched ? 58 : 84).encode(canvas)
    }

    /// Width and height in pixels of a picture drawn in a format.
    package static func size(format: Format, aspectRatio: Double) -> (width: Int, height: Int) {
        if format == .square { return (format.longSide, format.longSide) }
        let extent = Extent(aspectRatio: ratio(aspectRatio) ?? 1)
        let long = Float(format.longSide)
        return (Int((extent.width * long).rounded()), Int((extent.height * long).rounded()))
    }

    private static func ratio(_ aspectRatio: Double?) -> Float? {
        guard let aspectRatio, aspectRatio > 0, aspectRatio.isFinite else { return nil }
        return Float(max(1.0 / 16, min(16, aspectRatio)))
    }

    private static func blank(_ format: Format, _ extent: Extent) -> Canvas {
        let (width, height) = size(format: format, aspectRatio: Double(extent.width / extent.height))
        guard format == .square else {
            return Canvas(width: width, height: height, scale: Float(format.longSide), originX: 0, originY: 0)
        }
        return Canvas(
            width: width, height: height, scale: Float(format.longSide) / extent.short,
            originX: (extent.width - extent.short) / 2, originY: (extent.height - extent.short) / 2)
    }
}
