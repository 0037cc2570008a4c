/// Packs Huffman codes into the bytes of a JPEG scan, most significant bit first, a zero stuffed after every 0xFF.
struct JPEGBitWriter {
    private(set) var bytes: [UInt8]
    private var held: UInt64 = 0
    private var count: UInt64 = 0

    /// Goes on after `bytes`, the segments before the scan.
    init(after bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Writes the low `length` bits of `value`; at most 32.
    @inline(__always)
    mutating func write(_ value: UInt64, _ length: UInt64) {
        held = held &<< length | value
        count &+= length
        if count >= 32 { drain() }
    }

    /// Fills the last byte with ones, as T.81 F.1.2.3 asks, and gives up the bytes.
    consuming func finished() -> [UInt8] {
        let missing = (8 - count % 8) % 8
        write((1 << missing) - 1, missing)
        drain()
        return bytes
    }

    private mutating func drain() {
        while count >= 8 {
            count &-= 8
            let byte = UInt8(truncatingIfNeeded: held &>> count)
            bytes.append(byte)
            if byte == 0xff { bytes.append(0) }
        }
    }
}
