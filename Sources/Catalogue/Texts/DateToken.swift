/// A piece of a date text.
enum DateToken: Hashable {
    /// A number of at most nine digits; longer ones are ``other``.
    case number(Int, digits: Int)
    /// `19th`, `19e`, `nineteenth`.
    case ordinal(Int)
    /// A number in Roman numerals.
    case roman(Int)
    /// `1830s`, or the end of `1850s–60s`.
    case decade(Int)
    case word(DateWord)
    /// A word without a meaning for dates.
    case other
    /// A dash, or `to`.
    case dash
    case slash, dot, comma, open, close
    /// What ends a statement: a semicolon, colon or line break.
    case end

    /// The pieces of a folded text (``TextFolding``).
    static func tokens(of text: String) -> [DateToken] {
        var scanner = DateScanner(text)
        return scanner.tokens()
    }
}

/// Splits a folded text into ``DateToken``s.
private struct DateScanner {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var result: [DateToken] = []
    /// The last word, if the last token came of it.
    private var lastWord = ""

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private func scalar(_ offset: Int = 0) -> Unicode.Scalar? {
        index + offset < scalars.count ? scalars[index + offset] : nil
    }

    mutating func tokens() -> [DateToken] {
        while let next = scalar() {
            if next.isDigit {
                number()
            } else if next.properties.isAlphabetic {
                word()
            } else {
                index += 1
                if let token = Self.token(of: next) { append(token) }
            }
        }
        return result
    }

    private mutating func append(_ token: DateToken, word: String = "") {
        // The dot of an abbreviation doesn't separate two words.
        if token != .dot { lastWord = word }
        // Of `(?)` nothing is left.
        if token == .close, result.last == .open {
            result.removeLast()
        } else {
            result.append(token)
        }
    }

    private static func token(of scalar: Unicode.Scalar) -> DateToken? {
        switch scalar {
        case "-", "\u{2010}"..."\u{2015}", "\u{2212}", "~", "\u{301C}": .dash
        case "/", "\u{2044}": .slash
        case ".": .dot
        case ",", "&", "+": .comma
        case "(", "[": .open
        case ")", "]": .close
        case ";", ":", "\n", "\r": .end
        default: nil
        }
    }

    // MARK: Numbers

    private mutating func digits() -> (value: Int, count: Int) {
        var value = 0, count = 0
        while let next = scalar(), next.isDigit {
            if count < 9 { value = value * 10 + Int(next.value - 0x30) }
            count += 1
            index += 1
        }
        return (value, count)
    }

    private mutating func number() {
        var (value, count) = digits()
        // `10,000`: a comma, three digits and no more.
        if count <= 3, scalar() == ",", (1...3).allSatisfy({ scalar($0)?.isDigit == true }),
            scalar(4)?.isDigit != true
        {
            index += 1
            value = value * 1000 + digits().value
            count += 3
        }
        guard count <= 9 else { return append(.other) }
        let suffix = suffix()
        if DateWord.decadeSuffixes.contains(suffix), count >= 3 || (count == 2 && suffix == "s") {
            append(.decade(value))
        } else if DateWord.ordinalSuffixes.contains(suffix), count <= 2 {
            append(.ordinal(value))
        } else {
            append(.number(value, digits: count))
            if !suffix.isEmpty { append(DateWord.tokens[suffix] ?? .other, word: suffix) }
        }
    }

    /// The letters directly behind a number: `s`, `'s`, `th`.
    private mutating func suffix() -> String {
        if let apostrophe = scalar(), apostrophe == "'" || apostrophe == "’",
            scalar(1)?.properties.isAlphabetic == true
        {
            index += 1
        }
        return letters()
    }

    // MARK: Words

    private mutating func letters() -> String {
        var word = String.UnicodeScalarView()
        while let next = scalar() {
            if next.properties.isAlphabetic {
                word.append(next)
            } else if next != "." || word.isEmpty || scalar(1)?.properties.isAlphabetic != true {
                // The dots of `b.c.e` are part of the word.
                break
            }
            index += 1
        }
        return String(word)
    }

    private mutating func word() {
        var word = letters()
        if word == "j" {
            // `J.-C.`
            let rest: [Unicode.Scalar] = scalar() == "." ? [".", "-", "c"] : ["-", "c"]
            if scalars.dropFirst(index).starts(with: rest) {
                index += rest.count
                word = "jc"
            }
        }
        if let era = eraOfTwoWords(word) {
            result.removeLast(result.count - era.start)
            return append(.word(.era(era.era)))
        }
        if let token = DateWord.tokens[word] {
            if case .ordinal(let unit) = token, unit < 10, result.count >= 2, result.last == .dash,
                result[result.count - 2] == .word(.twenty)
            {
                result.removeLast(2)
                return append(.ordinal(20 + unit))
            }
            return append(token, word: word)
        }
        if let number = RomanNumeral.value(of: word) ?? romanWithSuffix(word) {
            return append(
                (1000...YearSpan.lastYear).contains(number) ? .number(number, digits: 4) : .roman(number),
                word: word)
        }
        append(.other, word: word)
    }

    /// `XIXe`, `XIXeme`.
    private func romanWithSuffix(_ word: String) -> Int? {
        for suffix in ["eme", "de", "th", "e"] where word.hasSuffix(suffix) {
            return RomanNumeral.value(of: String(word.dropLast(suffix.count)))
        }
        return nil
    }

    /// The era in `v. Chr.`, `av. J.-C.`, `B. C.`, of which this is the last word, and where its tokens begin.
    private func eraOfTwoWords(_ word: String) -> (era: DateEra, start: Int)? {
        guard let era = DateWord.erasOfTwoWords["\(lastWord) \(word)"] else { return nil }
        return (era, result.count - (result.last == .dot ? 2 : 1))
    }
}

extension Unicode.Scalar {
    /// Whether this is one of the digits 0 to 9.
    fileprivate var isDigit: Bool { (0x30...0x39).contains(value) }
}
