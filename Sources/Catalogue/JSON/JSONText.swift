/// Byte-level rules of JSON's grammar, shared by reading, writing and scanning.
enum JSONText {
    /// The bytes that have a short escape, such as `\n`, and the escape's letter.
    static let escapes: [(byte: UInt8, letter: UInt8)] = [
        (UInt8(ascii: "\""), UInt8(ascii: "\"")), (0x0A, UInt8(ascii: "n")),
        (UInt8(ascii: "\\"), UInt8(ascii: "\\")), (0x0D, UInt8(ascii: "r")), (0x09, UInt8(ascii: "t")),
        (0x08, UInt8(ascii: "b")), (0x0C, UInt8(ascii: "f")),
    ]

    /// The end of a run of plain bytes: the first quotation mark, backslash or control character from `p` on, or `end`.
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

/// The byte order mark of UTF-8, which some servers send before their JSON.
///
/// A reader may skip it at the start of a text (RFC 8259, section 8.1); anywhere else it is an error.
package enum ByteOrderMark {
    package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    package static let length = 3

    package static func begins(_ text: UnsafeRawBufferPointer) -> Bool {
        text.count >= length && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
    }
}
