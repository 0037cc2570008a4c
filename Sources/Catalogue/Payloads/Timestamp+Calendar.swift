extension Timestamp {
    /// As many calendar months earlier, in UTC, at the same time of day.
    ///
    /// A day that the month doesn't have becomes its last: three months before 31 May is 28 or 29 February.
    /// - Parameter months: negative for later.
    public func earlier(months: Int) -> Timestamp {
        let day = CalendarDate.floor(seconds, by: 86_400)
        var date = CalendarDate(daysSince1970: day)
        let month = date.year * 12 + date.month - 1 - months
        date.year = CalendarDate.floor(month, by: 12)
        date.month = month - date.year * 12 + 1
        date.day = min(date.day, CalendarDate.length(of: date.month, in: date.year))
        return Timestamp(seconds: seconds + (date.daysSince1970 - day) * 86_400, nanoseconds: nanoseconds)
    }

    /// RFC 3339 in UTC to the millisecond, the rest cut off: `2026-01-31T12:00:00.000Z`. For the years 0 to 9999 all have
    /// the same length, and compare as texts as they do as times.
    public var text: String {
        let day = CalendarDate.floor(seconds, by: 86_400), second = seconds - day * 86_400
        let date = CalendarDate(daysSince1970: day)
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
}
