/// Byte-level facts of JSON's grammar that reading, writing and scanning share.
enum JSONText {
    /// Bytes that have an escape of two characters, and the second of these.
    static let escapes: [(byte: UInt8, letter: UInt8)] = [
        (UInt8(ascii: "\""), UInt8(ascii: "\"")), (0x0A, UInt8(ascii: "n")),
        (UInt8(ascii: "\\"), UInt8(ascii: "\\")), (0x0D, UInt8(ascii: "r")), (0x09, UInt8(ascii: "t")),
        (0x08, UInt8(ascii: "b")), (0x0C, UInt8(ascii: "f")),
    ]

    /// The first byte from `p` on that cannot stand as it is inside a string: a quotation mark, a backslash or a
    /// control character; `end` if there is none.
    ///
    /// Looks at eight bytes at a time.
    @inline(__always)
    static func plainRun(from p: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var p = p
        while end - p >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
            let hits =
                zeroes(word ^ 0x2222_2222_2222_2222) | zeroes(word ^ 0x5C5C_5C5C_5C5C_5C5C) | controls(word)
            if hits != 0 { return p + hits.trailingZeroBitCount / 8 }
            p += 8
        }
        while p < end {
            let byte = p.pointee
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return p }
            p += 1
        }
        return p
    }

    /// Has bit 7 of a byte set where that byte is zero. Only the lowest such byte is certain, and only it is used.
    @inline(__always)
    private static func zeroes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// The same for bytes below 0x20.
    @inline(__always)
    private static func controls(_ word: UInt64) -> UInt64 {
        (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
    }
}

extension UInt8 {
    @inline(__always)
    var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    @inline(__always)
    var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The digit for 0 to 15, in lower case.
    var hexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") + self - 10 }

    /// 0 to 15 for a hexadecimal digit of either case.
    package var hexDigitValue: UInt8? {
        if isASCIIDigit { return self - UInt8(ascii: "0") }
        let lower = self | 0x20
        guard lower >= UInt8(ascii: "a"), lower <= UInt8(ascii: "f") else { return nil }
        return lower - UInt8(ascii: "a") + 10
    }
}

/// The byte order mark of UTF-8, which some servers write before their JSON.
///
/// A reader may pass over it at the start of a text (RFC 8259, section 8.1); anywhere else it is an error.
package enum ByteOrderMark {
    package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    package static let length = 3

    package static func begins(_ text: UnsafeRawBufferPointer) -> Bool {
        text.count >= length && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
    }
}
