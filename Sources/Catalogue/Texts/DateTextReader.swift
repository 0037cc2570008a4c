/// Finds the years in the pieces of a date text: one statement after another, until one has a date.
///
/// Works from left to right, once; what a later word says about earlier numbers (`century`, `BC`) is applied to the numbers
/// joined before it.
struct DateTextReader {
    private let tokens: [DateToken]
    private var index = 0

    // The statement that is being read.
    private var points: [DatePoint] = []
    private var parts: [DatePart] = []
    private var era: DateEra?
    /// Whether the last point has an era that stands before it.
    private var isEraBefore = false
    private var isJoined = false, isAfterSlash = false, isAfterWord = false
    /// Whether the word for a century came before the number: `siglo XIX`.
    private var isCentury = false
    /// Whether the years are those of a period or dynasty.
    private var isPeriod = false
    private var hasDate = false

    init(_ tokens: [DateToken]) { self.tokens = tokens }

    /// The years of the first statement that has a date; of a period, if there is no other.
    mutating func span() -> YearSpan? {
        var period: YearSpan?
        while index < tokens.count {
            let start = index
            readStatement()
            if let span = points.span(partsBehind: parts) {
                if !isPeriod { return span }
                period = period ?? span
            }
            if index == start { index += 1 }
            reset()
        }
        return period
    }

    private mutating func reset() {
        (points, parts, era) = ([], [], nil)
        (isJoined, isAfterSlash, isAfterWord) = (false, false, false)
        (isEraBefore, isCentury, isPeriod, hasDate) = (false, false, false, false)
    }

    /// Reads until a statement with a date ends.
    private mutating func readStatement() {
        while index < tokens.count {
            let token = tokens[index]
            if hasDate && ends(at: token) { break }
            index += 1
            read(token)
        }
    }

    private func ends(at token: DateToken) -> Bool {
        switch token {
        case .end, .open, .other, .word(.period): true
        case .comma, .close: isPeriod
        default: false
        }
    }

    private mutating func read(_ token: DateToken) {
        switch token {
        case .number(let value, let digits): readNumber(value, digits)
        case .ordinal(let value), .roman(let value):
            if !readFraction(value) { append(DatePoint(kind: isCentury ? .century : .ordinal, value: value)) }
        case .decade(let value): readDecade(value)
        case .dash: isJoined = true
        case .slash: (isJoined, isAfterSlash) = (true, true)
        case .comma: isJoined = false
        case .dot, .close: break
        case .open, .end, .other: (parts, era, isCentury, isJoined) = ([], nil, false, false)
        case .word(let word): readWord(word)
        }
    }

    private mutating func readWord(_ word: DateWord) {
        switch word {
        case .filler, .twenty, .fraction: break
        case .and: (isJoined, isAfterWord) = (true, true)
        case .part(let part): parts.append(part)
        case .third:
            if !readFraction(3) { append(DatePoint(kind: isCentury ? .century : .ordinal, value: 3)) }
        case .last: readFraction(nil)
        case .letterC: if isBehindNumber { makeJoined(.century) { $0.kind == .ordinal } }
        case .century: if !makeJoined(.century, where: \.mayBeCentury) { isCentury = true }
        case .millennium: makeJoined(.millennium, where: \.mayBeCentury)
        case .hundreds:
            makeJoined(.hundreds) { $0.kind == .year && $0.value % 100 == 0 }
            isJoined = false
        case .era(let era): readEra(era)
        case .period:
            // The number before belongs to the name: `18th Dynasty`.
            while points.last?.kind == .ordinal { points.removeLast() }
            (isPeriod, isJoined, parts) = (true, false, [])
        }
    }

    // MARK: Numbers

    private mutating func readNumber(_ value: Int, _ digits: Int) {
        if digits <= 2, readFraction(value) { return }
        if let year = yearOfDate(value, digits) {
            return append(DatePoint(kind: .year, value: year, digits: 4))
        }
        if isDirectlyJoined, !isDayOfMonth, let before = points.last, before.kind == .year,
            before.digits > digits, before.value >= 100
        {
            let kind = DatePoint.Kind.shortened(after: before.value, isAfterSlash: isAfterSlash)
            return append(DatePoint(kind: kind, value: value, digits: digits))
        }
        if isJoined, digits == 3, let before = points.last, before.kind == .small, before.value > 0 {
            // `50-320`: no day or month is followed by three digits.
            points[points.count - 1].kind = .year
            points[points.count - 1].digits = 3
        }
        append(DatePoint(kind: digits <= 2 ? .small : .year, value: value, digits: digits))
    }

    /// Whether nothing stands between the number and the dash, slash or `and` before it.
    private var isDirectlyJoined: Bool {
        guard isJoined, index >= 2 else { return false }
        return tokens[index - 2] == .dash || tokens[index - 2] == .slash || tokens[index - 2] == .word(.and)
    }

    /// Whether a month and a year follow: `12 June 1914 - 18 July 1916`.
    private var isDayOfMonth: Bool {
        guard index + 1 < tokens.count, tokens[index] == .word(.filler) else { return false }
        if case .number(_, digits: 4) = tokens[index + 1] { return true }
        return false
    }

    /// A decade of two digits is in the century of the year before it: `1850s–60s`.
    private mutating func readDecade(_ value: Int) {
        var value = value
        if value < 100 {
            guard isJoined, let before = points.last, before.value >= 100 else { return }
            value += before.value - before.value % 100
        }
        append(DatePoint(kind: .decade, value: value, digits: 4))
    }

    /// The year of a date in digits that begins here (`12/5/1998`, `1998.12.5`, `1998-12-05`, `8/1959`), whose other tokens are
    /// skipped.
    private mutating func yearOfDate(_ value: Int, _ digits: Int) -> Int? {
        guard index + 1 < tokens.count, case .number(let second, let secondDigits) = tokens[index + 1] else {
            return nil
        }
        let separator = tokens[index]
        guard separator == .slash || separator == .dash || separator == .dot else { return nil }
        if index + 3 < tokens.count, tokens[index + 2] == separator,
            case .number(let third, let thirdDigits) = tokens[index + 3], secondDigits <= 2
        {
            if digits <= 2 && thirdDigits == 4 || digits == 4 && thirdDigits <= 2 {
                index += 4
                return digits == 4 ? value : third
            }
        } else if digits <= 2, (1...12).contains(value), secondDigits == 4, separator != .dot {
            index += 2
            return second
        }
        return nil
    }

    /// Reads `half`, `quarter` or `third` behind a number, or behind `last`.
    /// - Parameter number: `nil` for the last one.
    @discardableResult
    private mutating func readFraction(_ number: Int?) -> Bool {
        var next = index
        while next < tokens.count, tokens[next] == .dot { next += 1 }
        guard next < tokens.count else { return false }
        let count: Int
        switch tokens[next] {
        case .word(.fraction(let fraction)): count = fraction
        case .word(.third): count = 3
        default: return false
        }
        guard (1...count).contains(number ?? count) else { return false }
        parts.append(.fraction(number ?? count, of: count))
        index = next + 1
        return true
    }

    private mutating func append(_ point: DatePoint) {
        var point = point
        point.isJoined = isJoined && !points.isEmpty
        point.endsRange = point.isJoined && !isAfterSlash && !isAfterWord
        if let era {
            point.era = era
        } else if point.endsRange, isEraBefore {
            // An era before the first year of a range is that of the last year too: `AH 934-935`.
            (point.era, point.hasInheritedEra) = (points.last?.era, true)
        }
        isEraBefore = era != nil || (isEraBefore && point.endsRange)
        point.parts = parts
        (parts, era, isJoined, isAfterSlash, isAfterWord) = ([], nil, false, false, false)
        points.append(point)
        hasDate = hasDate || point.isDate
    }

    // MARK: Words behind numbers

    /// Makes the last number and those joined to it centuries, as in `18th-19th century`; whether there is one.
    @discardableResult
    private mutating func makeJoined(_ kind: DatePoint.Kind, where isMeant: (DatePoint) -> Bool) -> Bool {
        var position = points.count - 1, isFirst = true
        while position >= 0, isFirst || points[position + 1].isJoined, isMeant(points[position]) {
            points[position].kind = kind
            hasDate = hasDate || points[position].isDate
            (position, isFirst) = (position - 1, false)
        }
        return !isFirst
    }

    private mutating func readEra(_ era: DateEra) {
        guard isBehindNumber, !points.isEmpty, points[points.count - 1].hasNoEra else {
            self.era = era
            return
        }
        var position = points.count - 1
        repeat {
            (points[position].era, points[position].hasInheritedEra) = (era, false)
            position -= 1
        } while position >= 0 && points[position + 1].isJoined && points[position].hasNoEra
        hasDate = points.contains(where: \.isDate)
    }

    /// Whether the token before the current one belongs to a number.
    private var isBehindNumber: Bool {
        var before = index - 2
        while before >= 0, tokens[before] == .dot || tokens[before] == .close { before -= 1 }
        guard before >= 0 else { return false }
        switch tokens[before] {
        case .number, .ordinal, .roman, .decade, .word(.century), .word(.millennium), .word(.hundreds):
            return true
        default: return false
        }
    }
}
