/// A piece of a text on dimensions.
enum DimensionToken: Hashable {
    case number(Double)
    /// A unit, directly behind a number.
    case unit(LengthUnit)
    /// `×`, `x`, `by`.
    case times
    /// `H`, `width`, `diam.`
    case side(Side)
    /// Another word, in lower case.
    case word(String)
    case open, close, comma
    /// A semicolon or line break.
    case separator

    /// The pieces of a text.
    /// - Parameter limit: the number of scalars that are read. The rest is ignored, so that the work is bounded.
    static func tokens(of text: String, limit: Int = 1000) -> [DimensionToken] {
        var scanner = DimensionScanner(scalars: Array(text.unicodeScalars.prefix(limit)))
        return scanner.tokens()
    }
}

/// Splits a text into ``DimensionToken``s.
private struct DimensionScanner {
    let scalars: [Unicode.Scalar]
    private var index = 0
    private var result: [DimensionToken] = []

    init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private func scalar(_ offset: Int = 0) -> Unicode.Scalar? {
        index + offset < scalars.count ? scalars[index + offset] : nil
    }

    private func isDigit(_ offset: Int = 0) -> Bool {
        scalar(offset).map { ("0"..."9").contains($0) } ?? false
    }

    mutating func tokens() -> [DimensionToken] {
        while let next = scalar() {
            if isDigit() || fraction(next) != nil || (next == "." && isDigit(1)) {
                result.append(.number(number()))
                continue
            }
            if Self.isLetter(next) {
                word()
                continue
            }
            index += 1
            switch next {
            case "×", "✕", "*": result.append(.times)
            case "⌀": result.append(.side(.diameter))
            case "(", "[": result.append(.open)
            case ")", "]": result.append(.close)
            case ",": result.append(.comma)
            case ";", "\n", "\r": result.append(.separator)
            case "\"", "″", "”", "'", "′", "’": quote(next)
            default: break
            }
        }
        return result
    }

    /// A mark for feet or inches, which stands directly behind a number.
    private mutating func quote(_ mark: Unicode.Scalar) {
        guard case .number? = result.last else { return }
        var isFoot = mark == "'" || mark == "′" || mark == "’"
        if isFoot, scalar() == mark {
            index += 1
            isFoot = false
        }
        result.append(.unit(isFoot ? .foot : .inch))
    }

    private mutating func word() {
        let start = index
        while let next = scalar(), Self.isLetter(next) { index += 1 }
        let word = String(String.UnicodeScalarView(scalars[start..<index])).lowercased()
        if case .number? = result.last, let unit = LengthUnit(word: word) {
            result.append(.unit(unit))
        } else if word == "x" || word == "by" {
            result.append(.times)
        } else {
            result.append(Self.sides[word].map { .side($0) } ?? .word(word))
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) : scalar.properties.isAlphabetic
    }

    private static let sides: [String: Side] = {
        var sides: [String: Side] = [:]
        for (side, words) in [
            (Side.height, "h ht height high hauteur hoogte höhe højde altura alto altezza"),
            (.width, "w width wide b largeur breedte breite bredde anchura ancho larghezza"),
            (.depth, "d depth deep thick thickness profondeur diepte tiefe dybde profundidad profondità"),
            (.length, "l length long longueur lengte länge længde"),
            (.diameter, "diam dia diameter diamètre durchmesser diámetro diametro ø"),
        ] {
            for word in words.split(separator: " ") { sides[String(word)] = side }
        }
        return sides
    }()

    // MARK: Numbers

    /// A number: `10`, `10.5`, `25,7`, `1,200`, `10 1/2`, `10-1/2`, `3/8`, `10½`.
    private mutating func number() -> Double {
        guard isDigit() || scalar() == "." else { return simpleFraction() ?? 0 }
        var whole = digits()
        if scalar() == "," && isDigit(1) && isDigit(2) && isDigit(3) && !isDigit(4) {
            index += 1
            return whole * 1000 + digits() + decimals(after: ".")
        }
        if scalar() == "/" || scalar() == "\u{2044}" {
            if isDigit(1) {
                index += 1
                let divisor = digits()
                return divisor > 0 ? whole / divisor : 0
            }
            return whole
        }
        let decimals = decimals(after: ".") + decimals(after: ",")
        if decimals > 0 { return whole + decimals }
        whole += followingFraction()
        return whole
    }

    private mutating func digits() -> Double {
        var value = 0.0
        while isDigit(), let next = scalar() {
            value = value * 10 + Double(next.value - 0x30)
            index += 1
        }
        return value
    }

    private mutating func decimals(after point: Unicode.Scalar) -> Double {
        guard scalar() == point, isDigit(1) else { return 0 }
        index += 1
        var value = 0.0, place = 0.1
        while isDigit(), let next = scalar() {
            value += Double(next.value - 0x30) * place
            place /= 10
            index += 1
        }
        return value
    }

    /// The fraction behind a whole number; 0 if none follows.
    private mutating func followingFraction() -> Double {
        let start = index
        while scalar() == " " || scalar() == "\u{A0}" || (scalar() == "-" && index == start) { index += 1 }
        if let value = simpleFraction() { return value }
        if isDigit() {
            let numerator = digits()
            if scalar() == "/" || scalar() == "\u{2044}", isDigit(1) {
                index += 1
                let divisor = digits()
                if divisor > numerator { return numerator / divisor }
            }
        }
        index = start
        return 0
    }

    /// `½`.
    private mutating func simpleFraction() -> Double? {
        guard let value = scalar().flatMap(fraction) else { return nil }
        index += 1
        return value
    }

    private func fraction(_ scalar: Unicode.Scalar) -> Double? {
        guard !scalar.isASCII, scalar.properties.generalCategory == .otherNumber,
            let value = scalar.properties.numericValue, value > 0, value < 1
        else { return nil }
        return value
    }
}
