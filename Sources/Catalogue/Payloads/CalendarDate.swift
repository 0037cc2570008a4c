/// A day of the proleptic Gregorian calendar.
package struct CalendarDate: Sendable, Hashable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is `days` days after 1970-01-01; a negative number counts back.
    ///
    /// Counted in eras of 400 years that begin in March, so that the leap day comes last.
    package init(daysSince1970 days: Int) {
        let fromMarch = days + 719_468
        let era = Self.floor(fromMarch, by: 146_097), ofEra = fromMarch - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * ofYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        day = ofYear - (153 * monthFromMarch + 2) / 5 + 1
    }

    package var daysSince1970: Int {
        let shifted = month > 2 ? year : year - 1
        let era = Self.floor(shifted, by: 400), yearOfEra = shifted - era * 400
        let ofYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
    }

    /// Whether the calendar has this day.
    package var exists: Bool {
        (1...12).contains(month) && (1...Self.length(of: month, in: year)).contains(day)
    }

    /// Days of a month.
    static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The quotient, rounded down for negative numbers too.
    static func floor(_ number: Int, by divisor: Int) -> Int {
        number >= 0 ? number / divisor : (number + 1) / divisor - 1
    }
}
