/// Random numbers for one picture: SplitMix64, seeded with the FNV-1a hash of the image's id. The same id gives the same
/// numbers on every platform.
struct PictureSeed {
    private var state: UInt64

    init(id: String) {
        state = Self.hash(id.utf8)
    }

    /// 64-bit FNV-1a.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed &>> 31)
    }

    /// A number from `low` up to, but not including, `high`.
    mutating func between(_ low: Float, _ high: Float) -> Float {
        low + (high - low) * (Float(next() &>> 40) * (1 / 16_777_216))
    }

    mutating func chance(_ probability: Float) -> Bool { between(0, 1) < probability }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() &>> 33) % elements.count]
    }
}

/// Smooth noise: random heights at whole coordinates, with interpolation between them.
struct PictureNoise {
    private let key: UInt64

    init(_ seed: inout PictureSeed) {
        key = seed.next()
    }

    /// From -1 to 1, changing over a distance of about 1.
    func value(_ x: Float, _ y: Float) -> Float {
        let (floorX, floorY) = (x.rounded(.down), y.rounded(.down))
        let (column, row) = (Int64(floorX), Int64(floorY))
        let (partX, partY) = (Self.ease(x - floorX), Self.ease(y - floorY))
        let top = Self.blend(height(column, row), height(column &+ 1, row), partX)
        let bottom = Self.blend(height(column, row &+ 1), height(column &+ 1, row &+ 1), partX)
        return Self.blend(top, bottom, partY)
    }

    /// The height at whole coordinates, from -1 to 1.
    func height(_ column: Int64, _ row: Int64) -> Float {
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
