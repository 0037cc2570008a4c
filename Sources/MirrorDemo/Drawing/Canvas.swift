/// The pixels of a picture: red, green and blue as floats from 0 to 1, row by row, padded to whole 16-pixel blocks so that
/// the encoder needs no edge cases (the drawing continues into the padding).
///
/// Coordinates of a drawing are in units of the picture's long side, from the upper left corner. The canvas shows a part of
/// the drawing at a scale, so that all formats show the same picture.
struct Canvas: ~Copyable {
    let width: Int
    let height: Int
    let stride: Int
    let paddedHeight: Int
    /// The number of pixels per unit, and the canvas's upper left corner in units.
    let scale: Float
    let originX: Float
    let originY: Float
    let pixels: UnsafeMutablePointer<Float>

    init(width: Int, height: Int, scale: Float, originX: Float, originY: Float) {
        (self.width, self.height) = (width, height)
        (self.scale, self.originX, self.originY) = (scale, originX, originY)
        stride = (width + 15) & ~15
        paddedHeight = (height + 15) & ~15
        pixels = .allocate(capacity: 3 * stride * paddedHeight)
        pixels.initialize(repeating: 0, count: 3 * stride * paddedHeight)
    }

    deinit { pixels.deallocate() }
}

/// Width and height of a picture whose long side is 1.
struct Extent {
    let width: Float
    let height: Float

    init(aspectRatio: Double) {
        (width, height) = aspectRatio > 1 ? (1, Float(1 / aspectRatio)) : (Float(aspectRatio), 1)
    }
}
