/// The one way in which words that a server or catalogue said reach a terminal.
///
/// Escape sequences would command the terminal, bidirectional overrides would reorder what stands around them, and line
/// breaks would forge lines: none of them gets through, in text or in JSON.
extension String {
    /// One line without control characters or invisible marks; line breaks and tabs become spaces, other control
    /// characters `�`.
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

    /// JSON text in which what must not reach a terminal is escaped: equal as JSON, harmless as text.
    ///
    /// Such characters stand only within strings, so that an escape is always in place.
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
        // Joiners and variation selectors make letters and emoji what they are.
        case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: return .safe
        default:
            return properties.isBidiControl || properties.isDefaultIgnorableCodePoint ? .invisible : .safe
        }
    }
}
