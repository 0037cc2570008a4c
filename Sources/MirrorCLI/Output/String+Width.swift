/// How wide text is in a terminal's columns, and how to make it fit.
extension String {
    /// Columns of text that is ``printable``.
    var columns: Int {
        if utf8.allSatisfy({ $0 < 0x7F }) { return utf8.count }
        return reduce(0) { $0 + $1.columns }
    }

    /// The text in at most so many columns; `…` at its end stands for what was left out.
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

    /// Lines of at most so many columns, broken at spaces where there are any.
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
    /// 2 for East Asian wide characters and emoji, 0 for lone marks, else 1.
    var columns: Int {
        if let value = asciiValue { return value < 0x20 || value == 0x7F ? 0 : 1 }
        var widest = 0
        for scalar in unicodeScalars { widest = Swift.max(widest, scalar.columns) }
        return unicodeScalars.contains("\u{FE0F}") ? 2 : widest
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
