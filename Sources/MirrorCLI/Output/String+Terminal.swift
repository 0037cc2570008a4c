/// Makes text from a server or a catalogue safe for a terminal.
///
/// Escape sequences could control the terminal, bidirectional overrides could reorder the text around them, and line breaks
/// could forge lines. They are removed or replaced in text, and escaped in JSON.
extension String {
    /// The text in one line, without invisible marks. Line breaks and tabs become spaces, other control characters `�`.
    var printable: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.safety {
            case .safe: result.append(scalar)
            case .space: result.append(" ")
            case .control: result.append("\u{FFFD}")
            case .invisible: break
            }
        }
        return String(result)
    }

    /// The JSON text with unsafe characters escaped: equal as JSON, safe as text.
    ///
    /// In JSON, such characters occur only inside strings, where an escape is valid.
    var printableJSON: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var result = ""
        for scalar in unicodeScalars {
            guard scalar.safety != .safe else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate enum Safety { case safe, space, control, invisible }

    fileprivate var safety: Safety {
        switch value {
        case 0x20..<0x7F: return .safe
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: return .space
        case 0..<0x20, 0x7F..<0xA0: return .control
        case 0xA0..<0x300: return value == 0xAD ? .invisible : .safe
        // Joiners and variation selectors are part of letters and emoji.
        case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: return .safe
        default:
            return properties.isBidiControl || properties.isDefaultIgnorableCodePoint ? .invisible : .safe
        }
    }
}

/// Measures text in terminal columns, and fits it to a width.
extension String {
    /// The number of columns of a text that is ``printable``.
    var columns: Int {
        if utf8.allSatisfy({ $0 < 0x7F }) { return utf8.count }
        return reduce(0) { $0 + $1.columns }
    }

    /// The text, cut to a width in columns; a text that was cut ends with `…`.
    func truncated(to width: Int) -> String {
        guard columns > width else { return self }
        guard width > 0 else { return "" }
        var result = "", used = 0
        for character in self {
            guard used + character.columns <= width - 1 else { break }
            result.append(character)
            used += character.columns
        }
        return result + "…"
    }

    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - columns)) }

    func paddedLeft(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - columns)) + self
    }

    /// The text in lines of at most `width` columns, broken at spaces. A longer word is truncated.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = [], line = ""
        for word in split(separator: " ") {
            let word = String(word)
            if line.isEmpty {
                line = word
            } else if line.columns + 1 + word.columns <= width {
                line += " " + word
            } else {
                lines.append(line.truncated(to: width))
                line = word
            }
        }
        if !line.isEmpty { lines.append(line.truncated(to: width)) }
        return lines
    }
}

extension Character {
    /// 2 for East Asian wide characters and emoji, 0 for combining marks and control characters, else 1.
    var columns: Int {
        if let value = asciiValue { return value < 0x20 || value == 0x7F ? 0 : 1 }
        return unicodeScalars.contains("\u{FE0F}") ? 2 : unicodeScalars.map(\.columns).max() ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x20000...0x3FFFD:
            return 2
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format: return 0
        default: return 1
        }
    }
}
