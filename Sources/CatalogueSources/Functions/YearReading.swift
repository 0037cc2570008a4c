/// Reads the first year from the text of a date, as museums write them.
///
/// ```
/// c. 1830–1832             1830        1890/91                1890
/// 1830s                    1830        before 1500            1500
/// 19th century             1801        late 19th century      1876
/// 500 BCE                  -500        4th–3rd century BC     -400
/// 723 AH/AD 1323           1323        AD 14–68               14
/// July 28, 1960            1960        Edo period (1603–1867), 19th century   1801
/// ```
/// A year of the Islamic calendar (AH) is passed over, and one in parentheses counts only if there is none outside.
enum YearReading {
    /// The year, negative before our era; `nil` if the text contains none.
    static func year(in text: String) -> Int? {
        let tokens = DateTokens.read(text)
        var inside: Int?
        for index in tokens.indices {
            guard let year = year(tokens, at: index) else { continue }
            if !tokens[index].isInParentheses { return year }
            inside = inside ?? year
        }
        return inside
    }

    /// The last year that is not a typing error.
    private static let latest = 2100

    private static let bc: Set<String> = ["bc", "bce", "fkr", "vchr"]
    private static let ad: Set<String> = ["ad", "ce"]
    private static let about: Set<String> = ["c", "ca", "cca", "circa", "about", "um", "vers", "omkring"]
    private static let centuries: Set<String> = [
        "century", "centuries", "cent", "jahrhundert", "jahrhunderts", "jh", "jhd", "siècle", "siecle",
        "eeuw",
        "århundrede", "arhundrede", "secolo", "siglo",
    ]
    private static let millennia: Set<String> = ["millennium", "millennia", "millenium"]
    private static let connections: Set<String> = ["to", "or", "and", "through", "bis", "und"]
    private static let qualifiers: Set<String> = ["early", "mid", "middle", "late", "the", "end", "of"]

    private enum Era { case ours, before, islamic }
    private enum Unit { case year, century, millennium }

    // MARK: - One number

    private static func year(_ tokens: [DateTokens.Token], at index: Int) -> Int? {
        guard case .number(let number, let digits) = tokens[index].kind else { return nil }
        let before = index > 0 ? tokens[index - 1].word : nil
        if before == "ah" { return nil }
        var next = index + 1
        let suffix = skipSuffix(tokens, &next)
        let isOrdinal = suffix != nil && suffix != "s"
        var (unit, era) = unitAndEra(tokens, &next)
        if era == nil {
            // `4th–3rd century BC`: what stands after a range is for its beginning, too. `1900 or 20th century` are two things.
            let (endUnit, endEra) = endOfRange(tokens, next)
            if endUnit == unit || unit == .year && digits <= 2 { (unit, era) = (endUnit, endEra) }
        }
        if era == .islamic { return nil }
        if era == nil, before.map(ad.contains) == true { era = .ours }
        if index == 1, tokens[0].kind == .mark("-"), unit == .year { era = .before }
        switch unit {
        case .century:
            return period(number, length: 100, era: era, offset: offset(tokens, before: index))
        case .millennium:
            return period(number, length: 1000, era: era, offset: offset(tokens, before: index) * 10)
        case .year:
            let isShort = digits <= 2, isLong = digits > 4
            if isOrdinal || number == 0 || isShort && suffix == "s" { return nil }
            if isLong { return era == .before && digits <= 7 ? -number : nil }
            if isShort, era == nil, digits == 1 || before.map(about.contains) != true { return nil }
            if era == .before { return -number }
            return number <= latest ? number : nil
        }
    }

    /// The first year of a century or millennium.
    private static func period(_ number: Int, length: Int, era: Era?, offset: Int) -> Int? {
        guard number > 0, number <= (era == .before ? 99 : latest / length + 1) else { return nil }
        return (era == .before ? -number * length : (number - 1) * length + 1) + offset
    }

    // MARK: - After a number

    /// Skips `th`, `s` or `'s` directly after a number.
    private static func skipSuffix(_ tokens: [DateTokens.Token], _ next: inout Int) -> String? {
        var position = next
        if position < tokens.count, tokens[position].kind == .mark("'") { position += 1 }
        guard position < tokens.count, tokens[position].isAttached, let word = tokens[position].word,
            ["st", "nd", "rd", "th", "s", "e"].contains(word)
        else { return nil }
        next = position + 1
        return word
    }

    private static func unitAndEra(_ tokens: [DateTokens.Token], _ next: inout Int) -> (Unit, Era?) {
        var unit = Unit.year
        var position = next
        if position < tokens.count, tokens[position].kind == .mark("-") { position += 1 }
        if position < tokens.count, let word = tokens[position].word {
            if centuries.contains(word) { unit = .century }
            if millennia.contains(word) { unit = .millennium }
            if unit != .year { next = position + 1 }
        }
        // `1246–1247 (AH 644)`: a number in other parentheses has an era of its own.
        guard next < tokens.count, let word = tokens[next].word,
            tokens[next].isInParentheses == tokens[next - 1].isInParentheses
        else { return (unit, nil) }
        if bc.contains(word) { return (unit, .before) }
        // `v. Chr.` is two words.
        if word == "v", next + 1 < tokens.count, tokens[next + 1].word == "chr" { return (unit, .before) }
        return (unit, ad.contains(word) ? .ours : word == "ah" ? .islamic : nil)
    }

    /// The unit and era after a range: `–3rd century BC`, `/50 BC`, ` or early 14th century`.
    private static func endOfRange(_ tokens: [DateTokens.Token], _ start: Int) -> (Unit, Era?) {
        var next = start
        // `1203–1200/1199 BC` has two connections.
        for _ in 0..<3 {
            guard next < tokens.count, isConnection(tokens[next]) else { return (.year, nil) }
            next += 1
            while next < tokens.count, isQualifier(tokens[next]) { next += 1 }
            guard next < tokens.count, case .number = tokens[next].kind else { return (.year, nil) }
            next += 1
            _ = skipSuffix(tokens, &next)
            let (unit, era) = unitAndEra(tokens, &next)
            if unit != .year || era != nil { return (unit, era) }
        }
        return (.year, nil)
    }

    private static func isConnection(_ token: DateTokens.Token) -> Bool {
        token.kind == .mark("-") || token.kind == .mark("/") || token.word.map(connections.contains) == true
    }

    private static func isQualifier(_ token: DateTokens.Token) -> Bool {
        token.kind == .mark("-") || token.word.map { qualifiers.contains($0) || about.contains($0) } == true
    }

    // MARK: - Before a number

    /// The years between the beginning of a century and that of the part that the words before it name: `late`, `mid`,
    /// `second half of the`, `3rd quarter`. Of several parts, the first counts.
    private static func offset(_ tokens: [DateTokens.Token], before index: Int) -> Int {
        var found: [Int] = []
        var position = index - 1
        while position >= 0 {
            let token = tokens[position]
            if let word = token.word {
                switch word {
                case "early", "beginning": found.append(0)
                case "mid", "middle": found.append(25)
                case "late", "end": found.append(75)
                case "half": found.append([0, 50, nil, nil, 50][part(tokens, before: position) ?? 0] ?? 0)
                case "quarter": found.append([0, 25, 50, 75, 75][part(tokens, before: position) ?? 0])
                case "to", "of", "the": break
                default: return found.min() ?? 0
                }
                if word == "half" || word == "quarter" { return found.min() ?? 0 }
            } else if token.kind != .mark("-") {
                break
            }
            position -= 1
        }
        return found.min() ?? 0
    }

    /// Which half or quarter, from 0; 4 for the last.
    private static func part(_ tokens: [DateTokens.Token], before index: Int) -> Int? {
        guard index > 0 else { return nil }
        switch tokens[index - 1].word {
        case "first": return 0
        case "second": return 1
        case "third": return 2
        case "fourth": return 3
        case "last", "latter": return 4
        case "st", "nd", "rd", "th":
            guard index > 1, case .number(let number, _) = tokens[index - 2].kind, (1...4).contains(number)
            else { return nil }
            return number - 1
        default: return nil
        }
    }
}
