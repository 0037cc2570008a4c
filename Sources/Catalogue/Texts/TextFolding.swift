import Foundation

/// Folds text so that spellings that readers take for the same compare as equal: case, diacritics, width and ligatures.
enum TextFolding {
    /// The text in lower case, without diacritics, with compatibility characters (`１`, `ﬁ`, `²`) replaced by plain ones.
    ///
    /// Latin letters with a stroke and ligatures are spelled with plain letters (`ø` → `o`, `æ` → `ae`, `ß` → `ss`).
    /// - Parameter limit: the bytes of `text` that are read. The rest is ignored, so that the work is bounded.
    static func folded(_ text: String, limit: Int) -> String {
        text.withBytes { bytes in
            let head = UnsafeBufferPointer(rebasing: bytes.prefix(limit))
            if head.allSatisfy({ $0 < 0x80 }) {
                return String(unsafeUninitializedCapacity: head.count) { target in
                    for (index, byte) in head.enumerated() { target[index] = lowercased(byte) }
                    return head.count
                }
            }
            // A sequence of bytes that the limit cut in two would be decoded as U+FFFD.
            var end = head.count
            if end < bytes.count { while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 } }
            return folded(String(decoding: bytes.prefix(end), as: UTF8.self))
        }
    }

    /// The lower-case form of an ASCII byte.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private static func folded(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars where !isDiacritic(scalar)
        {
            if scalar.isASCII {
                result.append(Unicode.Scalar(lowercased(UInt8(scalar.value))))
            } else if let plain = undecomposable[scalar] {
                result.append(contentsOf: plain.unicodeScalars)
            } else {
                result.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            }
        }
        return String(result)
    }

    /// Whether a scalar is a mark on a Latin, Greek or Cyrillic letter. Marks of other scripts are vowels, or change the
    /// letter (`か`, `が`), and are kept.
    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        default: false
        }
    }

    /// Letters that Unicode doesn't decompose into a plain letter and a mark.
    private static let undecomposable: [Unicode.Scalar: String] = [
        "Æ": "ae", "æ": "ae", "Œ": "oe", "œ": "oe", "Ø": "o", "ø": "o", "ß": "ss", "ẞ": "ss", "Đ": "d",
        "đ": "d",
        "Ð": "d", "ð": "d", "Þ": "th", "þ": "th", "Ł": "l", "ł": "l", "Ħ": "h", "ħ": "h", "Ŧ": "t", "ŧ": "t",
        "ı": "i", "ĸ": "k", "Ŋ": "n", "ŋ": "n",
    ]
}
