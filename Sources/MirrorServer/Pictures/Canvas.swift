/// Where a picture is painted: three floats of light from 0 to 1 a pixel, padded to whole 16-pixel blocks so that the encoder needs no
/// edge cases (strokes run on into the padding).
///
/// Coordinates of strokes are in units of the whole picture's long side, whatever part of it and at whatever size the canvas
/// shows: that is what makes every format the same picture.
struct Canvas: ~Copyable {
    let width: Int
    let height: Int
    let stride: Int
    let paddedHeight: Int
    /// Pixels a unit, and the unit coordinates of the left upper corner.
    let scale: Float
    let originX: Float
    let originY: Float
    /// Red, green, blue, red, … row by row, `stride` pixels each.
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

    /// Fills a rectangle given in units, its edges unsoftened.
    func fill(x: Float, y: Float, width: Float, height: Float, _ colour: Colour) {
        let left = Self.clamp((x - originX) * scale, stride)
        let right = Self.clamp((x + width - originX) * scale + 1, stride)
        let bottom = Self.clamp((y + height - originY) * scale + 1, paddedHeight)
        var row = Self.clamp((y - originY) * scale, paddedHeight)
        let (red, green, blue) = (colour.red, colour.green, colour.blue)
        while row < bottom {
            var pixel = pixels + 3 * (row * stride + left)
            let end = pixels + 3 * (row * stride + right)
            while pixel < end {
                pixel[0] = red
                pixel[1] = green
                pixel[2] = blue
                pixel += 3
            }
            row += 1
        }
    }

    /// Lays one stroke over what is there.
    ///
    /// Each row's span is the intersection of two bands (along and across the stroke), so no pixel outside is looked at.
    func paint(_ stroke: Stroke, _ brush: borrowing Brush) {
        // At least a pixel wide, thinner strokes fading instead.
        let wanted = stroke.halfWidth * scale
        let halfWidth = max(0.6, wanted)
        let opacity = stroke.opacity * min(1, wanted / 0.6)
        let halfLength = max(0.8, stroke.halfLength * scale)
        let centreX = (stroke.x - originX) * scale
        let centreY = (stroke.y - originY) * scale
        let (alongX, alongY) = (stroke.directionX, stroke.directionY)
        let reachX = abs(alongX) * halfLength + abs(alongY) * halfWidth
        let reachY = abs(alongY) * halfLength + abs(alongX) * halfWidth
        guard centreX + reachX > 0, centreY + reachY > 0 else { return }
        var row = Self.clamp(centreY - reachY, paddedHeight)
        let bottom = Self.clamp(centreY + reachY + 1, paddedHeight)
        let (red, green, blue) = (stroke.colour.red, stroke.colour.green, stroke.colour.blue)
        let bristleScale = Float(Brush.bristles) * 0.499 / halfWidth
        let bristleOffset = 8_388_608 + Float(Brush.bristles) * 0.5
        let (reach, shade) = (brush.reach, brush.shade)
        let hairMask = UInt32(Brush.bristles - 1)
        let sideReach = halfWidth + 0.4
        let taper = 2.5 / halfLength
        let (overAlong, overAcross) = (Self.reciprocal(alongX), Self.reciprocal(-alongY))
        while row < bottom {
            let down = Float(row) + 0.5 - centreY
            var low = -reachX
            var high = reachX
            Self.narrow(&low, &high, overAlong, down * alongY, halfLength)
            Self.narrow(&low, &high, overAcross, down * alongX, halfWidth)
            if low < high {
                let first = Self.clamp(centreX + low + 0.5, stride)
                let end = Self.clamp(centreX + high + 0.5, stride)
                let right = Float(first) + 0.5 - centreX
                var along = right * alongX + down * alongY
                var across = down * alongX - right * alongY
                var pixel = pixels + 3 * (row * stride + first)
                let last = pixels + 3 * (row * stride + end)
                while pixel < last {
                    // Adding 2²³ leaves the whole number in the lowest bits: no conversion, no check.
                    let hair = Int((across * bristleScale + bristleOffset).bitPattern & hairMask)
                    let ahead = along < 0 ? halfLength + along : halfLength - along
                    let aside = across < 0 ? sideReach + across : sideReach - across
                    let fromEnd = ahead * taper * reach[hair]
                    var cover = fromEnd < 1 ? fromEnd * opacity : opacity
                    cover *= aside < 1 ? aside : 1
                    let bare = 1 - cover
                    let light = shade[hair]
                    pixel[0] = pixel[0] * bare + (red + light) * cover
                    pixel[1] = pixel[1] * bare + (green + light) * cover
                    pixel[2] = pixel[2] * bare + (blue + light) * cover
                    along += alongX
                    across -= alongY
                    pixel += 3
                }
            }
            row += 1
        }
    }

    /// Narrows `low..<high` to where `|x / inverse + offset| ≤ limit`.
    @inline(__always)
    private static func narrow(
        _ low: inout Float, _ high: inout Float, _ inverse: Float, _ offset: Float, _ limit: Float
    ) {
        let one = (limit - offset) * inverse
        let other = (-limit - offset) * inverse
        let (first, last) = one < other ? (one, other) : (other, one)
        if first > low { low = first }
        if last < high { high = last }
    }

    /// One over a slope; a slope of nearly nothing keeps its sign and becomes very large, so that a band parallel to the row
    /// takes all of it or nothing.
    private static func reciprocal(_ slope: Float) -> Float {
        if slope < 0 { return 1 / (slope < -1e-5 ? slope : -1e-5) }
        return 1 / (slope > 1e-5 ? slope : 1e-5)
    }

    @inline(__always)
    private static func clamp(_ value: Float, _ limit: Int) -> Int {
        value <= 0 ? 0 : value >= Float(limit) ? limit : Int(value)
    }
}
