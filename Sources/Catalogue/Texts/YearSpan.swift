/// The years that a date text names, such as `c. 1830–1832` or `late 5th century BC`: what a list is sorted and filtered by.
///
/// A span says what the text says, and guesses nothing:
/// - `c.`, `?` and `probably` don't widen it: `c. 1830` is 1830.
/// - A half-open date is the one year that it names: `before 1500` and `after 1500` are both 1500.
/// - A century is 1801–1900, `1800s` and `1800-tallet` the same; a decade is 1830–1839, as is 1800–1809 in a range of decades.
///   Early and late are the first and last quarter of a century or half of a decade, mid the middle.
/// - Several dates that are joined, or listed without a word between them, are one span from the earliest to the latest.
/// - Otherwise the first date counts: `1916, printed 1981` is 1916. The years of a period or dynasty count only if no other
///   date is given: `Edo period (1603–1867), c. 1790` is 1790.
/// - A year of another calendar (`AH`, `AM`) counts only with its equivalent: `941 AH/AD 1534` is 1534.
///
/// Years before Christ are negative: 500 BC is -500, and the year after -1 is 1. There is no year 0, as in the texts.
package struct YearSpan: Sendable, Hashable {
    /// The first year.
    package let first: Int
    /// The last year, not before ``first``.
    package let last: Int

    /// Creates a span. Two years in the wrong order are swapped.
    package init(first: Int, last: Int) { (self.first, self.last) = (min(first, last), max(first, last)) }

    /// The last year that a text can name, so that a typing error or a `9999` for "unknown" isn't a date.
    static let lastYear = 2199
    /// How much of a text is read, in bytes. What follows is a remark, not a date.
    static let readLimit = 400

    /// Reads a date text in the words of the usual catalogues (English, and the common words in Danish, Dutch, French,
    /// German, Italian and Spanish); `nil` if it names no year.
    package init?(parsing text: String) {
        if let year = Self.plainYear(text) {
            self.init(first: year, last: year)
            return
        }
        var reader = DateTextReader(DateToken.tokens(of: TextFolding.folded(text, limit: Self.readLimit)))
        guard let span = reader.span() else { return nil }
        self = span
    }

    /// The most common text, four digits, without the work of the reader.
    private static func plainYear(_ text: String) -> Int? {
        guard text.utf8.count == 4 else { return nil }
        var year = 0
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte) else { return nil }
            year = year * 10 + Int(byte - 0x30)
        }
        return (1000...lastYear).contains(year) ? year : nil
    }

    // MARK: - Centuries and decades

    /// The century of the first year: 19 for 1801–1900, -5 for 500–401 BC.
    package var century: Int { Self.century(of: first) }

    /// The decade of the first year as its first year (1830 for 1830–1839; -490 for 499–490 BC); `nil` if the span has
    /// 25 years or more, because the text then names no decade (`19th century`, `late 17th century`).
    package var decade: Int? { last - first < 24 ? first / 10 * 10 : nil }

    /// The century that contains a year; see ``century``.
    package static func century(of year: Int) -> Int {
        year > 0 ? (year - 1) / 100 + 1 : (year + 1) / 100 - 1
    }

    /// A century's name: `19th century`, `5th century BCE`.
    package static func name(ofCentury century: Int) -> String {
        let number = century.magnitude
        let suffix =
            switch (number % 10, number / 10 % 10 == 1) {
            case (1, false): "st"
            case (2, false): "nd"
            case (3, false): "rd"
            default: "th"
            }
        return "\(number)\(suffix) century\(century < 0 ? " BCE" : "")"
    }

    /// A decade's name: `1830s`, `490s BCE`. The years 9 BC to AD 9 are one decade, `0s`.
    package static func name(ofDecade decade: Int) -> String {
        "\(decade.magnitude)s\(decade < 0 ? " BCE" : "")"
    }
}
