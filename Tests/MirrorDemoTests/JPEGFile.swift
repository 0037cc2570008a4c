/// A minimal JPEG decoder, independent of the encoder.
///
/// It reads the segments and the tables of the file, and decodes the luminance of each 8×8 block.
struct JPEGFile {
    struct Broken: Error {
        let what: String
    }

    private struct Table {
        /// Symbols by length and code.
        var symbols: [Int: UInt8] = [:]
    }

    private(set) var width = 0
    private(set) var height = 0
    private var quantisers: [Int: [Int]] = [:]
    private var tables: [UInt8: Table] = [:]
    private var scan: [UInt8] = []

    init(_ bytes: [UInt8]) throws {
        guard bytes.starts(with: [0xff, 0xd8]) else { throw Broken(what: "no SOI") }
        guard bytes.suffix(2) == [0xff, 0xd9] else { throw Broken(what: "no EOI") }
        var at = 2
        while true {
            guard at + 4 <= bytes.count, bytes[at] == 0xff else { throw Broken(what: "no marker at \(at)") }
            let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
            guard length >= 2, at + 2 + length <= bytes.count else {
                throw Broken(what: "segment too long at \(at)")
            }
            let payload = Array(bytes[at + 4..<at + 2 + length])
            let marker = bytes[at + 1]
            at += 2 + length
            switch marker {
            case 0xdb: quantisers[Int(payload[0])] = payload.dropFirst().map(Int.init)
            case 0xc4: tables[payload[0]] = try Self.table(payload)
            case 0xc0:
                guard payload[0] == 8, payload[5] == 3 else {
                    throw Broken(what: "not 8 bits of three components")
                }
                height = Int(payload[1]) << 8 | Int(payload[2])
                width = Int(payload[3]) << 8 | Int(payload[4])
            case 0xe0: guard payload.starts(with: Array("JFIF".utf8)) else { throw Broken(what: "no JFIF") }
            case 0xda:
                scan = Array(bytes[at..<bytes.count - 2])
                return
            default: throw Broken(what: "unexpected marker \(marker)")
            }
        }
    }

    /// The mean luminance (0 to 255) of every 8×8 block row by row, padding included.
    ///
    /// - Throws: if the Huffman stream doesn't end with the last block, followed only by ones to fill the byte.
    func luminanceLevels() throws -> [Int] {
        let columns = (width + 15) / 16, rows = (height + 15) / 16
        var levels = [Int](repeating: 0, count: columns * rows * 4)
        var bits = try Bits(scan)
        var previous = [0, 0, 0]
        for unit in 0..<columns * rows {
            for block in 0..<6 {
                let component = max(0, block - 3)
                let kind = UInt8(min(1, component))
                previous[component] += try coefficients(kind, &bits)
                guard component == 0 else { continue }
                let row = unit / columns * 2 + block / 2, column = unit % columns * 2 + block % 2
                levels[row * columns * 2 + column] = 128 + previous[0] * (quantisers[0]?[0] ?? 0) / 8
            }
        }
        try bits.expectEnd()
        return levels
    }

    /// Luminance averaged over `count` × `count` equal parts of a square picture.
    func grid(_ count: Int) throws -> [Int] {
        let levels = try luminanceLevels()
        let columns = (width + 15) / 16 * 2
        let side = width / 8 / count
        return (0..<count * count).map { part in
            var sum = 0
            for row in 0..<side {
                for column in 0..<side {
                    sum += levels[(part / count * side + row) * columns + part % count * side + column]
                }
            }
            return sum / (side * side)
        }
    }

    /// Reads one block and gives its DC difference; the other coefficients are decoded to keep in step.
    private func coefficients(_ kind: UInt8, _ bits: inout Bits) throws -> Int {
        let first = try bits.value(Int(bits.symbol(tables[kind]?.symbols ?? [:])))
        var index = 1
        while index < 64 {
            let symbol = try bits.symbol(tables[0x10 | kind]?.symbols ?? [:])
            if symbol == 0 { break }
            index += Int(symbol >> 4) + 1
            _ = try bits.value(Int(symbol & 15))
        }
        guard index <= 64 else { throw Broken(what: "a block of more than 64 coefficients") }
        return first
    }

    private static func table(_ payload: [UInt8]) throws -> Table {
        var table = Table()
        var code = 0, next = 17
        for length in 1...16 {
            for _ in 0..<payload[length] {
                table.symbols[length << 16 | code] = payload[next]
                code += 1
                next += 1
            }
            code <<= 1
        }
        guard next == payload.count else { throw Broken(what: "a Huffman table of the wrong length") }
        return table
    }

    private struct Bits {
        private var bytes: [UInt8] = []
        private var at = 0

        init(_ scan: [UInt8]) throws {
            var index = 0
            while index < scan.count {
                bytes.append(scan[index])
                if scan[index] == 0xff {
                    guard index + 1 < scan.count, scan[index + 1] == 0 else {
                        throw Broken(what: "an unstuffed 0xFF")
                    }
                    index += 1
                }
                index += 1
            }
        }

        mutating func bit() throws -> Int {
            guard at < bytes.count * 8 else { throw Broken(what: "the scan ends too early") }
            defer { at += 1 }
            return Int(bytes[at >> 3] >> UInt8(7 - at & 7)) & 1
        }

        mutating func symbol(_ symbols: [Int: UInt8]) throws -> UInt8 {
            var code = 0
            for length in 1...16 {
                code = code << 1 | (try bit())
                if let symbol = symbols[length << 16 | code] { return symbol }
            }
            throw Broken(what: "a code that no table has")
        }

        mutating func value(_ size: Int) throws -> Int {
            var value = 0
            for _ in 0..<size { value = value << 1 | (try bit()) }
            return size > 0 && value < 1 << (size - 1) ? value - (1 << size) + 1 : value
        }

        mutating func expectEnd() throws {
            guard bytes.count * 8 - at < 8 else { throw Broken(what: "bytes left over in the scan") }
            while at < bytes.count * 8 {
                guard try bit() == 1 else { throw Broken(what: "the scan isn't padded with ones") }
            }
        }
    }
}
