/// Writes a canvas as a baseline JPEG (ITU-T T.81) in a JFIF file, without an image library.
///
/// The colour space is YCbCr, with colours at half resolution in both directions (4:2:0). The Huffman codes are those of
/// the standard.
struct JPEGEncoder {
    private let tables: JPEGTables
    private let reciprocals: [[Float]]
    private let dcCodes: [JPEGTables.Codes]
    private let acCodes: [JPEGTables.Codes]

    init(quality: Int) {
        tables = JPEGTables(quality: quality)
        reciprocals = tables.quantisers.map(JPEGTransform.reciprocals)
        dcCodes = [JPEGTables.codes(JPEGTables.dcLuminance), JPEGTables.codes(JPEGTables.dcChrominance)]
        acCodes = [JPEGTables.codes(JPEGTables.acLuminance), JPEGTables.codes(JPEGTables.acChrominance)]
    }

    /// The complete file, from SOI to EOI.
    func encode(_ canvas: borrowing Canvas) -> [UInt8] {
        var writer = JPEGBitWriter(after: header(width: canvas.width, height: canvas.height))
        var previous: (Int32, Int32, Int32) = (0, 0, 0)
        // Six blocks: four of luminance, one of each colour difference.
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 6 * 64) { blocks in
            guard let base = blocks.baseAddress else { return }
            var y = 0
            while y < canvas.paddedHeight {
                var x = 0
                while x < canvas.stride {
                    Self.load(canvas, x, y, into: base)
                    var block = 0
                    while block < 4 {
                        encode(base + block * 64, 0, &previous.0, &writer)
                        block += 1
                    }
                    encode(base + 256, 1, &previous.1, &writer)
                    encode(base + 320, 1, &previous.2, &writer)
                    x += 16
                }
                y += 16
            }
        }
        return writer.finished() + [0xff, 0xd9]
    }

    /// Converts 16×16 pixels (JFIF's matrix, samples centred on zero).
    private static func load(
        _ canvas: borrowing Canvas, _ x: Int, _ y: Int, into blocks: UnsafeMutablePointer<Float>
    ) {
        var index = 256
        while index < 384 {
            blocks[index] = 0
            index += 1
        }
        let pixels = canvas.pixels
        var row = 0
        while row < 16 {
            var pixel = pixels + 3 * ((y + row) * canvas.stride + x)
            let luminance = blocks + (row >> 3) * 128 + (row & 7) * 8
            let colour = blocks + 256 + (row >> 1) * 8
            var column = 0
            while column < 16 {
                let (red, blue) = (pixel[0] * 255, pixel[2] * 255)
                let light = 0.299 * red + 149.685 * pixel[1] + 0.114 * blue
                pixel += 3
                luminance[(column >> 3) * 64 + (column & 7)] = light - 128
                // Four pixels share one sample, so each contributes a quarter.
                colour[column >> 1] += (blue - light) * 0.141
                colour[64 + column >> 1] += (red - light) * 0.178_25
                column += 1
            }
            row += 1
        }
    }

    private func encode(
        _ block: UnsafeMutablePointer<Float>, _ table: Int, _ previous: inout Int32,
        _ writer: inout JPEGBitWriter
    ) {
        JPEGTransform.forward(block)
        reciprocals[table].withUnsafeBufferPointer { factors in
            JPEGTables.zigzag.withUnsafeBufferPointer { zigzag in
                acCodes[table].withUnsafeBufferPointer { codes in
                    let level = Self.quantise(block[0] * factors[0])
                    Self.write(level - previous, 0, dcCodes[table], &writer)
                    previous = level
                    var run = 0
                    var index = 1
                    while index < 64 {
                        let position = zigzag[index]
                        let value = Self.quantise(block[position] * factors[position])
                        index += 1
                        if value == 0 {
                            run += 1
                            continue
                        }
                        while run > 15 {
                            let skip = codes[0xf0]
                            writer.write(UInt64(skip &>> 8), UInt64(skip & 0xff))
                            run -= 16
                        }
                        Self.write(value, run << 4, codes, &writer)
                        run = 0
                    }
                    if run > 0 {
                        let end = codes[0]
                        writer.write(UInt64(end &>> 8), UInt64(end & 0xff))
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func quantise(_ value: Float) -> Int32 { Int32(value < 0 ? value - 0.5 : value + 0.5) }

    private static func write(
        _ value: Int32, _ run: Int, _ codes: JPEGTables.Codes, _ writer: inout JPEGBitWriter
    ) {
        codes.withUnsafeBufferPointer { write(value, run, $0, &writer) }
    }

    /// Writes a coefficient: the code for its run of zeros and its size, then its bits (T.81 F.1.2.1, F.1.2.2).
    @inline(__always)
    private static func write(
        _ value: Int32, _ run: Int, _ codes: UnsafeBufferPointer<UInt32>, _ writer: inout JPEGBitWriter
    ) {
        let magnitude = value < 0 ? 0 - value : value
        let size = 32 - magnitude.leadingZeroBitCount
        let code = codes[run | size]
        writer.write(UInt64(code &>> 8), UInt64(code & 0xff))
        if size > 0 {
            let bits = value < 0 ? value - 1 : value
            writer.write(UInt64(UInt32(bitPattern: bits) & (1 &<< UInt32(size) - 1)), UInt64(size))
        }
    }

    private func header(width: Int, height: Int) -> [UInt8] {
        var bytes: [UInt8] = [0xff, 0xd8]
        bytes.reserveCapacity(96 << 10)
        func segment(_ marker: UInt8, _ payload: [UInt8]) {
            bytes +=
                [0xff, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 0xff)] + payload
        }
        // "JFIF", version 1.1, no density but square pixels, no thumbnail.
        segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
        for (id, table) in tables.quantisers.enumerated() { segment(0xdb, [UInt8(id)] + table) }
        let size = [UInt8(height >> 8), UInt8(height & 0xff), UInt8(width >> 8), UInt8(width & 0xff)]
        segment(0xc0, [8] + size + [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
        for (id, table) in [
            (UInt8(0x00), JPEGTables.dcLuminance), (0x10, JPEGTables.acLuminance),
            (0x01, JPEGTables.dcChrominance), (0x11, JPEGTables.acChrominance),
        ] {
            segment(0xc4, [id] + table.counts + table.values)
        }
        segment(0xda, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0])
        return bytes
    }
}

/// Writes Huffman codes into a JPEG scan, most significant bit first. A zero byte is inserted after each 0xFF.
private struct JPEGBitWriter {
    private(set) var bytes: [UInt8]
    private var held: UInt64 = 0
    private var count: UInt64 = 0

    /// Creates a writer that appends to `bytes`, the segments before the scan.
    init(after bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Writes `value` as `length` bits. `length` is at most 32, and `value` has no higher bits.
    @inline(__always)
    mutating func write(_ value: UInt64, _ length: UInt64) {
        held = held &<< length | value
        count &+= length
        if count >= 32 { drain() }
    }

    /// Fills the last byte with ones (T.81 F.1.2.3) and returns all bytes.
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
