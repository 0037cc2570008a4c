import Catalogue

/// Parses and formats HTTP dates (RFC 9110, section 5.6.7), as whole seconds since 1970, UTC.
package enum HTTPDate {
    private static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let longNames = weekdays.map(FieldList.lowered)
    private static let shortNames = longNames.map { $0.prefix(3) }
    private static let monthNames = months.map { FieldList.lowered($0)[...] }

    /// Parses an IMF-fixdate, an RFC 850 date or an asctime date; `nil` for anything else.
    ///
    /// Parsing is case-insensitive (RFC 9111, section 4.2); the only time zone is GMT. The day of the week is required,
    /// but not compared with the date.
    ///
    /// - Parameter now: Seconds since 1970. A two-digit year more than 50 years after `now` is read as one in the past.
    package static func parse(_ text: String, now: Double) -> Double? {
        var words = FieldList.lowered(text).split(separator: " ", omittingEmptySubsequences: false)
        let weekday = words.removeFirst()
        if words.count == 5, shortNames.contains(where: { $0 + "," == weekday }), words[4] == "gmt" {
            // `Sun, 06 Nov 1994 08:49:37 GMT`
            return seconds(number(words[2], 4), words[1], number(words[0], 2), words[3])
        }
        if words.count == 3, longNames.contains(where: { $0 + "," == weekday }), words[2] == "gmt" {
            // `Sunday, 06-Nov-94 08:49:37 GMT`
            let date = words[0].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, let short = number(date[2], 2) else { return nil }
            let century = CalendarDate(daysSince1970: Int((now / 86400).rounded(.down))).year / 100 * 100
            return [century + 100, century, century - 100].lazy
                .compactMap { seconds($0 + short, date[1], number(date[0], 2), words[1]) }
                .first { $0 <= now + 50 * 365.2425 * 86400 }
        }
        // `Sun Nov  6 08:49:37 1994`
        guard shortNames.contains(weekday), words.count >= 4 else { return nil }
        let isShortDay = words[1].isEmpty
        if isShortDay { words.remove(at: 1) }
        guard words.count == 4 else { return nil }
        return seconds(number(words[3], 4), words[0], number(words[1], isShortDay ? 1 : 2), words[2])
    }

    /// A number with exactly `digits` digits.
    private static func number(_ text: Substring, _ digits: Int) -> Int? {
        text.utf8.count == digits && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// Seconds since 1970; `nil` if the time or the day doesn't exist.
    private static func seconds(_ year: Int?, _ month: Substring, _ day: Int?, _ time: Substring) -> Double? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).compactMap { number($0, 2) }
        guard let year, let day, let month = monthNames.firstIndex(of: month), clock.count == 3,
            time.utf8.count == 8
        else { return nil }
        let date = CalendarDate(year: year, month: month + 1, day: day)
        guard date.exists, clock[0] < 24, clock[1] < 60, clock[2] <= 60 else { return nil }
        // A leap second counts as the second before it: the earlier instant is the safer one.
        return Double(date.daysSince1970 * 86400 + clock[0] * 3600 + clock[1] * 60 + min(clock[2], 59))
    }

    /// Formats an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`; fractions of a second are dropped.
    package static func format(_ seconds: Double) -> String {
        // Clamped to the years 0 to 9999, which four digits can express.
        let whole = Int(max(-62_167_219_200, min(253_402_300_799, seconds.rounded(.down))))
        let days = (whole - (whole % 86400 + 86400) % 86400) / 86400
        let time = whole - days * 86400
        let date = CalendarDate(daysSince1970: days)
        let weekday = weekdays[((days % 7) + 11) % 7].prefix(3)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { $0.padded(to: 2) }.joined(separator: ":")
        let day = date.day.padded(to: 2), year = date.year.padded(to: 4)
        return "\(weekday), \(day) \(months[date.month - 1]) \(year) \(clock) GMT"
    }
}
