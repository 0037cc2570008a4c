/// The key by which a list of titles or names is ordered: compare the bytes of ``text``. A text without a key (`nil`)
/// comes last.
///
/// - Case, diacritics, width and ligatures are folded, in one order for all languages (`Å` with `A`, `Ø` with `O`).
/// - Words are separated by one space, whatever stands between them, so that `"Lee, Zoe"` precedes `"Leech"`. Apostrophes
///   are left out (`O'Keeffe` is `okeeffe`).
/// - Leading punctuation and quotes are ignored; articles are not, because a list can't know the language.
/// - Numbers are compared digit by digit, but by their value in the keys of ``natural(_:)``.
package struct SortKey: Sendable, Hashable {
    /// The greatest number of bytes in a key.
    ///
    /// Titles differ much earlier. An index over 500,000 of them stays small, a position in a list fits in an address, and
    /// a title of 100 kB costs no more than any other. Equal keys are ordered by id.
    package static let maximumLength = 100
    /// How far a text with characters other than ASCII is read, in bytes. A character may be folded to several.
    private static let readLimit = 512

    /// The key. Never empty, at most ``maximumLength`` bytes.
    package let text: String

    /// Folds a text; `nil` if it has no letter, digit or symbol in its beginning.
    package init?(_ text: String) {
        guard let key = Self.foldedASCII(text) ?? Self.foldedUnicode(text), !key.isEmpty else { return nil }
        self.text = key
    }

    /// The key of a text; `nil` if there is none.
    package static func folded(_ text: String) -> String? { SortKey(text)?.text }

    /// A key that orders numbers in a text by their value, so that `Room 2` precedes `Room 10`; `nil` if there is none.
    /// At most half as long again as ``maximumLength``.
    package static func natural(_ text: String) -> String? {
        folded(text).map { key in
            var bytes: [UInt8] = [], digits: [UInt8] = []
            func endNumber() {
                guard !digits.isEmpty else { return }
                let value = digits.drop { $0 == UInt8(ascii: "0") }
                // The number of digits comes first, so that a longer number is the greater one.
                bytes.append(UInt8(ascii: "0") + UInt8(min(value.count, mostDigits)))
                bytes += value
                digits = []
            }
            for byte in key.utf8 {
                if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                    digits.append(byte)
                } else {
                    endNumber()
                    bytes.append(byte)
                }
            }
            endNumber()
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Numbers with more digits are compared digit by digit. Their mark precedes all letters.
    private static let mostDigits = 40

    /// The letter under which the text stands in an alphabetical list, `A` to `Z`; `nil` for a digit, a symbol or another script.
    package var initial: String? { Self.initial(ofKey: text) }

    /// The letter, `A` to `Z`, under which a text with this key stands; `nil` for a digit, a symbol or another script.
    package static func initial(ofKey key: String) -> String? {
        guard let first = key.utf8.first, (0x61...0x7A).contains(first) else { return nil }
        return String(Unicode.Scalar(first & 0xDF))
    }

    /// The key, read until it has its greatest length; `nil` if another character than ASCII occurs before that.
    private static func foldedASCII(_ text: String) -> String? {
        var isASCII = true
        let key = text.withBytes { bytes in
            String(unsafeUninitializedCapacity: maximumLength) { key in
                var length = 0, separates = false
                for byte in bytes {
                    if byte >= 0x80 {
                        isASCII = false
                        return 0
                    }
                    let lower = TextFolding.lowercased(byte)
                    if (0x61...0x7A).contains(lower) || (0x30...0x39).contains(lower) {
                        if separates && length > 0 {
                            key[length] = 0x20
                            length += 1
                        }
                        separates = false
                        guard length < maximumLength else { break }
                        key[length] = lower
                        length += 1
                        if length == maximumLength { break }
                    } else if byte != UInt8(ascii: "'") && byte != UInt8(ascii: "`") {
                        separates = true
                        // A space as the last byte would be followed by nothing.
                        if length == maximumLength - 1 { break }
                    }
                }
                return length
            }
        }
        return isASCII ? key : nil
    }

    private static func foldedUnicode(_ text: String) -> String? {
        var key = "", separates = false
        for scalar in TextFolding.folded(text, limit: readLimit).unicodeScalars {
            switch role(of: scalar) {
            case .ignored: continue
            case .separator: separates = true
            case .kept:
                let needed = UTF8.width(scalar) + (separates && !key.isEmpty ? 1 : 0)
                guard key.utf8.count + needed <= maximumLength else { return key }
                if separates && !key.isEmpty { key.unicodeScalars.append(" ") }
                separates = false
                key.unicodeScalars.append(scalar)
            }
        }
        return key
    }

    private enum Role { case kept, separator, ignored }

    private static func role(of scalar: Unicode.Scalar) -> Role {
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "0"..."9": return .kept
            case "'", "`": return .ignored
            default: return .separator
            }
        }
        switch scalar {
        case "‘", "’", "ʼ", "ʻ", "ʾ", "ʿ", "′": return .ignored
        default: break
        }
        switch scalar.properties.generalCategory {
        case .format: return .ignored
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .mathSymbol,
            .currencySymbol, .otherSymbol:
            return .kept
        default: return .separator
        }
    }
}
