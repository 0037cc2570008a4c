import Catalogue

/// Days as the pages write them, in English: "18 November", "1 to 17 November", "on 1 and 2 October and on 23 November".
enum DayText {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November",
        "December",
    ]
    private static let shortMonths = [
        "Jan.", "Feb.", "March", "April", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.",
    ]

    static func month(_ day: CalendarDate) -> String { months[day.month - 1] }

    /// The label of a month below a plot.
    static func shortMonth(_ day: CalendarDate) -> String { shortMonths[day.month - 1] }

    /// "18 November", where the year is known.
    static func short(_ day: CalendarDate) -> String { "\(day.day) \(month(day))" }

    /// "18 November 2026".
    static func long(_ day: CalendarDate) -> String { "\(short(day)) \(day.year)" }

    /// "19 August to 26 November 2026", "30 December 2026 to 2 January 2027".
    static func long(from first: CalendarDate, to last: CalendarDate) -> String {
        if first == last { return long(last) }
        guard first.year == last.year else { return "\(long(first)) to \(long(last))" }
        return "\(range(first, last)) \(last.year)"
    }

    /// "October" for a whole month, else "1 to 17 November"; with years only where they differ.
    static func period(from first: CalendarDate, to last: CalendarDate) -> String {
        if first == last { return short(last) }
        guard first.year == last.year else { return "\(long(first)) to \(long(last))" }
        let next = CalendarDate(daysSince1970: last.daysSince1970 + 1)
        if first.month == last.month, first.day == 1, next.day == 1 { return month(last) }
        return range(first, last)
    }

    /// "on 1 and 2 October and on 23 November", for days in ascending order.
    static func list(_ days: [CalendarDate]) -> String {
        var groups: [[CalendarDate]] = []
        for day in days {
            if let last = groups.last?.last, last.month == day.month, last.year == day.year {
                groups[groups.count - 1].append(day)
            } else {
                groups.append([day])
            }
        }
        return joined(
            groups.map { group in "on \(joined(group.map { String($0.day) })) \(month(group[0]))" })
    }

    /// "1", "1 and 2", "1, 2 and 3".
    static func joined(_ parts: [String]) -> String {
        guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    /// Two days of one year.
    private static func range(_ first: CalendarDate, _ last: CalendarDate) -> String {
        (first.month == last.month ? String(first.day) : short(first)) + " to " + short(last)
    }
}
