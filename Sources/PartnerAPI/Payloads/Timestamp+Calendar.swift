extension Timestamp {
    /// As many calendar months earlier, in UTC, at the same time of day.
    ///
    /// A day that the month doesn't have becomes its last: three months before 31 May is 28 or 29 February.
    /// - Parameter months: negative for later.
    public func earlier(months: Int) -> Timestamp {
        let day = Self.floor(seconds, by: 86_400)
        var date = Self.date(ofDay: day)
        let month = date.year * 12 + date.month - 1 - months
        date.year = Self.floor(month, by: 12)
        date.month = month - date.year * 12 + 1
        date.day = min(date.day, Self.length(of: date.month, in: date.year))
        let earlier = Self.daysSince1970(date.year, date.month, date.day)
        return Timestamp(seconds: seconds + (earlier - day) * 86_400, nanoseconds: nanoseconds)
    }

    /// RFC 3339 in UTC to the millisecond, the rest cut off: `2026-01-31T12:00:00.000Z`. For the years 0 to 9999 all have
    /// the same length, and compare as texts as they do as times.
    public var text: String {
        let day = Self.floor(seconds, by: 86_400), second = seconds - day * 86_400
        let date = Self.date(ofDay: day)
        var text = ""
        for (number, width, end) in [
            (date.year, 4, "-"), (date.month, 2, "-"), (date.day, 2, "T"), (second / 3600, 2, ":"),
            (second / 60 % 60, 2, ":"), (second % 60, 2, "."), (nanoseconds / 1_000_000, 3, "Z"),
        ] {
            let digits = String(number)
            text += String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits + end
        }
        return text
    }

    /// The proleptic Gregorian date, counted from March so that the leap day comes last.
    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let fromMarch = day + 719_468
        let era = floor(fromMarch, by: 146_097), ofEra = fromMarch - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * ofYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, ofYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    private static func floor(_ number: Int, by divisor: Int) -> Int {
        number >= 0 ? number / divisor : (number + 1) / divisor - 1
    }
}
