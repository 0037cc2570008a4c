/// Smooth noise: random heights at whole coordinates, blended between. What clouds, ridges and foliage are made of.
struct PictureNoise {
    private let key: UInt64

    init(_ seed: inout PictureSeed) {
        key = seed.next()
    }

    /// From -1 to 1, changing over a distance of about 1.
    func value(_ x: Float, _ y: Float) -> Float {
        let floorX = x.rounded(.down), floorY = y.rounded(.down)
        let (column, row) = (Int64(floorX), Int64(floorY))
        let partX = Self.ease(x - floorX), partY = Self.ease(y - floorY)
        let top = Self.blend(height(column, row), height(column &+ 1, row), partX)
        let bottom = Self.blend(height(column, row &+ 1), height(column &+ 1, row &+ 1), partX)
        return Self.blend(top, bottom, partY)
    }

    /// Three octaves: the shape of `value`, with detail. About -1 to 1.
    func detailed(_ x: Float, _ y: Float) -> Float {
        value(x, y) * 0.57 + value(x * 2.03 + 17, y * 2.03 + 5) * 0.29 + value(x * 4.1 + 41, y * 4.1 + 23)
            * 0.14
    }

    private func height(_ column: Int64, _ row: Int64) -> Float {
        var mixed = key ^ UInt64(bitPattern: column) &* 0x9e37_79b9_7f4a_7c15
        mixed ^= UInt64(bitPattern: row) &* 0xc2b2_ae3d_27d4_eb4f
        mixed = (mixed ^ (mixed &>> 29)) &* 0xbf58_476d_1ce4_e5b9
        mixed ^= mixed &>> 32
        return Float(mixed & 0xffff) * (2 / 65_535) - 1
    }

    private static func ease(_ part: Float) -> Float { part * part * (3 - 2 * part) }

    private static func blend(_ one: Float, _ other: Float, _ part: Float) -> Float {
        one + (other - one) * part
    }
}
