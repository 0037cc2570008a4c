/// Draws a picture for an image without a file, from the image's id.
///
/// The id seeds the random numbers that choose the colours and the forms of a ``Landscape``. The same arguments always give
/// the same bytes on all platforms, so that ETags and digests of drawn pictures are equal on all mirrors of a chain. Therefore
/// there is no image library, and no floating-point operation whose result may differ.
package enum Picture {
    /// The available formats, with the API's names.
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

    /// Draws the picture of an image's id as a baseline JPEG.
    ///
    /// - Parameters:
    ///   - format: one of the API's image versions. Other names draw `larger`.
    ///   - aspectRatio: width divided by height, limited to 1/16 to 16. If it is `nil` or not a positive number, the ratio is
    ///     derived from the id.
    package static func jpeg(id: String, format: String, aspectRatio: Double?) -> [UInt8] {
        painted(id, aspectRatio) { blank(Format(rawValue: format) ?? .larger, $0) }
    }

    /// Draws a part of the picture of an image's id as a baseline JPEG.
    ///
    /// - Parameters:
    ///   - longSide: the long side of the complete picture in pixels.
    ///   - area: the part in pixels, inside the picture. Width and height are at least 1.
    package static func tile(
        id: String, aspectRatio: Double?, longSide: Int, area: (x: Int, y: Int, width: Int, height: Int)
    ) -> [UInt8] {
        let scale = Float(longSide)
        return painted(id, aspectRatio) { _ in
            Canvas(
                width: area.width, height: area.height, scale: scale,
                originX: Float(area.x) / scale, originY: Float(area.y) / scale)
        }
    }

    private static func painted(
        _ id: String, _ aspectRatio: Double?, _ blank: (Extent) -> Canvas
    ) -> [UInt8] {
        var seed = PictureSeed(id: id)
        let ownRatio = seed.pick([0.75, 0.8, 1, 1.25, 1.33, 1.5])
        let extent = Extent(aspectRatio: ratio(aspectRatio) ?? ownRatio)
        let canvas = blank(extent)
        Landscape(extent, &seed).paint(canvas)
        return JPEGEncoder(quality: 84).encode(canvas)
    }

    private static func ratio(_ aspectRatio: Double?) -> Double? {
        guard let aspectRatio, aspectRatio > 0, aspectRatio.isFinite else { return nil }
        return max(1.0 / 16, min(16, aspectRatio))
    }

    private static func blank(_ format: Format, _ extent: Extent) -> Canvas {
        let side = format.longSide, long = Float(side)
        guard format == .square else {
            return Canvas(
                width: Int((extent.width * long).rounded()), height: Int((extent.height * long).rounded()),
                scale: long, originX: 0, originY: 0)
        }
        let short = min(extent.width, extent.height)
        return Canvas(
            width: side, height: side, scale: long / short,
            originX: (extent.width - short) / 2, originY: (extent.height - short) / 2)
    }
}
