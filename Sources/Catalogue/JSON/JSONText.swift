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
    @inline(__always)
    static func plainRun(from p: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var p = p
        while p < end, p.pointee >= 0x20, p.pointee != UInt8(ascii: "\""), p.pointee != UInt8(ascii: "\\") {
            p += 1
        }
        return p
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
