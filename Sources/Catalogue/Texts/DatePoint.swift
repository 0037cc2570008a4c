/// A year, decade, century or a number that may become one, in a date text.
struct DatePoint: Hashable {
    enum Kind: Hashable {
        /// A number of three or four digits, or more before Christ.
        case year
        /// A number of one or two digits: a day or month; a year, if an era says so; a century, if the word follows.
        case small
        /// An ordinal or Roman numeral: a century, if the word follows.
        case ordinal
        /// The end of a range with fewer digits than its beginning: `1914-18`.
        case shortened(after: Int, isAfterSlash: Bool)
        case decade, century, millennium
        /// A century by its first year: `1800-tallet`.
        case hundreds
    }

    var kind: Kind
    var value: Int
    var digits = 0
    var era: DateEra?
    /// Whether the era is only that of the beginning of the range, so that one behind this point overrides it.
    var hasInheritedEra = false
    var parts: [DatePart] = []
    /// Whether a dash, slash or `and` joins it to the point before.
    var isJoined = false
    /// Whether it is joined by a dash alone.
    var endsRange = false

    /// Whether this point alone makes a date.
    var isDate: Bool {
        if era == .other { return false }
        switch kind {
        case .year, .decade, .century, .millennium, .hundreds: return span != nil
        case .small, .shortened: return era != nil
        case .ordinal: return false
        }
    }

    /// Whether an era behind this point is its era.
    var hasNoEra: Bool { era == nil || hasInheritedEra }

    /// Whether a century may be made of this number.
    var mayBeCentury: Bool {
        switch kind {
        case .ordinal: true
        case .small: value > 0
        default: false
        }
    }

    /// The years; `nil` if they are no date.
    var span: YearSpan? {
        if era == .other { return nil }
        let isBefore = era == .before
        switch kind {
        case .ordinal: return nil
        case .small: return era == nil ? nil : year(value)
        case .year: return digits < 3 && era == nil ? nil : year(value)
        case .shortened(let start, let isAfterSlash):
            return completed(after: start, isAfterSlash: isAfterSlash).flatMap { year($0) }
        case .decade:
            guard value % 10 == 0 else { return nil }
            return range(isBefore ? -value - 9 : value, count: 10)
        case .century: return range(isBefore ? -value * 100 : value * 100 - 99, count: 100)
        case .millennium: return range(isBefore ? -value * 1000 : value * 1000 - 999, count: 1000)
        case .hundreds: return range(isBefore ? -value - 99 : value + 1, count: 100)
        }
    }

    /// - Parameter value: the year without its era.
    private func year(_ value: Int) -> YearSpan? {
        guard value > 0, era == .before ? value < 1_000_000 : value <= YearSpan.lastYear else { return nil }
        let year = era == .before ? -value : value
        return YearSpan(first: year, last: year)
    }

    private func range(_ first: Int, count: Int) -> YearSpan? {
        guard value > 0, value < 1_000_000, first < YearSpan.lastYear else { return nil }
        guard let start = parts.first, let end = parts.last else {
            return YearSpan(first: first, last: first + count - 1)
        }
        let from = count == 10 ? start.ofDecade.from : start.ofCentury.from
        let to = count == 10 ? end.ofDecade.to : end.ofCentury.to
        let last = first + Int((to * Double(count)).rounded()) - 1
        return YearSpan(first: first + Int((from * Double(count)).rounded()), last: last)
    }

    /// `18` after 1914 is 1918, `02` after 1898 is 1902. `nil` if it is a month: `1998-05`.
    ///
    /// Years before Christ become smaller, so that `332-30 BC` ends in 30 BC; only a slash shortens them: `1351/50 BC`.
    private func completed(after start: Int, isAfterSlash: Bool) -> Int? {
        let base = [10, 100, 1000][min(digits, 3) - 1]
        let year = start - start % base + value
        if era == .before { return isAfterSlash && year < start ? year : value }
        if year >= start { return year }
        return value <= 12 && value > 0 ? nil : year + base
    }
}

extension [DatePoint] {
    /// The years of the points of one statement, from the earliest to the latest; `nil` if there are none.
    /// - Parameter partsBehind: the parts that are named last: `17th century, second half`.
    func span(partsBehind: [DatePart]) -> YearSpan? {
        var points = self
        if let last = last, last.parts.isEmpty, last.kind == .century || last.kind == .hundreds {
            points[points.count - 1].parts = partsBehind
        }
        // `1800s` is the century, `1890s-1900s` are decades.
        if points.filter(\.isDate).allSatisfy({ $0.kind == .decade && $0.value % 100 == 0 && $0.value < 2000 }
        ) {
            for position in points.indices where points[position].kind == .decade {
                points[position].kind = .hundreds
            }
        }
        // Of a range that ends before it begins, the end is a typing error.
        for position in points.indices.dropFirst().reversed() where points[position].endsRange {
            guard let start = points[position - 1].span, let end = points[position].span else { continue }
            if end.last < start.first { points.remove(at: position) }
        }
        let spans = points.compactMap(\.span)
        guard let first = spans.map(\.first).min(), let last = spans.map(\.last).max() else { return nil }
        return YearSpan(first: first, last: last)
    }
}
