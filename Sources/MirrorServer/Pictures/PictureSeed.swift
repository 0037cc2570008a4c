import Crypto

/// The dice of a picture: SplitMix64, started from the SHA-256 of the image's id. The same id, the same picture, on every platform.
struct PictureSeed {
    private var state: UInt64

    init(id: String) {
        state = SHA256.hash(data: Array(id.utf8)).withUnsafeBytes {
            UInt64(littleEndian: $0.load(as: UInt64.self))
        }
    }

    private init(state: UInt64) {
        self.state = state
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed &>> 31)
    }

    /// From 0 up to, but not including, 1.
    mutating func unit() -> Float { Float(next() &>> 40) * (1 / 16_777_216) }

    mutating func between(_ low: Float, _ high: Float) -> Float { low + (high - low) * unit() }

    /// From 0 to `count` - 1.
    mutating func index(_ count: Int) -> Int { Int(next() &>> 33) % count }

    mutating func chance(_ probability: Float) -> Bool { unit() < probability }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[index(elements.count)] }

    /// Dice of their own for one part of the picture, so that what another part draws doesn't shift it.
    mutating func fork() -> PictureSeed { PictureSeed(state: next()) }
}
