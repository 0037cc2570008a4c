import Testing

@testable import Catalogue

/// Date texts of the catalogues of Carnegie, Walters, Tate, MoMA, Met, Art Institute, Cleveland and SMK, and what they name.
@Suite struct YearSpanTests {
    @Test(arguments: yearTexts)
    func `years and ranges of years are read`(row: Row) {
        #expect(YearSpan(parsing: row.text) == YearSpan(first: row.first, last: row.last))
    }

    @Test(arguments: centuryTexts)
    func `centuries, decades and their parts are read`(row: Row) {
        #expect(YearSpan(parsing: row.text) == YearSpan(first: row.first, last: row.last))
    }

    @Test(arguments: eraTexts)
    func `years before Christ are negative and other calendars are ignored`(row: Row) {
        #expect(YearSpan(parsing: row.text) == YearSpan(first: row.first, last: row.last))
    }

    @Test(arguments: foreignTexts)
    func `common words of other languages are read`(row: Row) {
        #expect(YearSpan(parsing: row.text) == YearSpan(first: row.first, last: row.last))
    }

    @Test(arguments: [
        "", " ", "n.d.", "n. d.", "no date", "not dated", "date not known", "u.å.", "Meiji period",
        "late Qing?", "17 de mayo",
        "posthumous reprint", "the 60s", "18th", "18th Dynasty", "50-20", "0", "0000", "9999", "c. 194051955",
        "AH 934-935",
        "av. J.-C.", "12/5", "1/2/3", "👩‍🎨", "\u{0}", "-", "BC", "century", "circa",
    ])
    func `a text without a year has no span`(text: String) { #expect(YearSpan(parsing: text) == nil) }

    @Test func `a hostile text is read as far as a date can be, and at once`() {
        for text in ["9", "1-", "19th-", "é", "a\u{301}", "'", "(", "BC ", "late ", "I", "1,"] {
            let long = String(repeating: text, count: 100_000)
            _ = YearSpan(parsing: long)
            #expect(YearSpan(parsing: "1830 (" + long) == YearSpan(first: 1830, last: 1830))
        }
        #expect(YearSpan(parsing: String(repeating: " ", count: 500) + "1830") == nil)
    }

    @Test func `random texts never have a year 0, a year out of range or an end before the beginning`() {
        let pieces = [
            "19th", "18", "century", "-", "–", "/", ".", ",", "(", ")", "BC", "AD", "AH", "1830", "s",
            "1830s", "late", "half", "third",
            "last", "c.", "and", "period", "XIX", "MDCC", "0", "00", "999999999", "9999999999", "1,000", "é",
            "\u{301}", "’", "v.", "Chr",
            "j.-c.", "twenty", "first", "siglo", "tallet", "1800", "60s", "\n", ";", "½", "１", "I", "to",
            "12", "1998",
        ]
        var random = SeededGenerator(47)
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                text += pieces.randomElement(using: &random) ?? ""
                if Bool.random(using: &random) { text += " " }
            }
            guard let span = YearSpan(parsing: text) else { continue }
            #expect(
                span.first <= span.last && span.first != 0 && span.last != 0 && span.last <= 2300, "\(text)")
        }
    }

    // MARK: - Centuries and decades

    @Test(arguments: [
        (1, 1), (100, 1), (101, 2), (1800, 18), (1801, 19), (1900, 19), (2026, 21), (-1, -1), (-100, -1),
        (-101, -2), (-401, -5),
        (-500, -5), (-501, -6),
    ])
    func `a century begins with its year 1`(year: Int, century: Int) {
        #expect(YearSpan(first: year, last: year).century == century)
    }

    @Test(
        arguments: [
            ("1834", 1830), ("c. 1930-1950", 1930), ("1830s", 1830), ("495 BC", -490), ("AD 5", 0),
            ("early 19th century", nil),
            ("19th century", nil), ("1800s", nil), ("1850-1874", nil), ("1850-1873", 1850),
        ] as [(String, Int?)])
    func `a span of 25 years or more is in no decade`(text: String, decade: Int?) throws {
        #expect(try #require(YearSpan(parsing: text)).decade == decade)
    }

    @Test(arguments: [
        (1, "1st century"), (2, "2nd century"), (3, "3rd century"), (11, "11th century"),
        (12, "12th century"), (13, "13th century"),
        (19, "19th century"), (21, "21st century"), (-1, "1st century BCE"), (-5, "5th century BCE"),
        (-22, "22nd century BCE"),
        (-111, "111th century BCE"),
    ])
    func `centuries have names`(century: Int, name: String) {
        #expect(YearSpan.name(ofCentury: century) == name)
    }

    @Test func `decades have names`() {
        #expect(YearSpan.name(ofDecade: 1830) == "1830s")
        #expect(YearSpan.name(ofDecade: -490) == "490s BCE")
    }

    @Test func `a span's years are in order`() {
        #expect(YearSpan(first: 1832, last: 1830) == YearSpan(first: 1830, last: 1832))
    }
}
