import Catalogue

/// Dates and times as pages show them: in English, with the month's name, in UTC.
enum PageDates {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]

    /// `26 November 2026, 15:20 UTC`
    static func moment(_ time: Timestamp) -> String { "\(day(time)), \(clock(time)) UTC" }

    /// `26 November 2026`
    static func day(_ time: Timestamp) -> String {
        "\(dayOfYear(time)) \(time.day.year)"
    }

    /// `26 November`
    static func dayOfYear(_ time: Timestamp) -> String {
        "\(time.day.day) \(months[time.day.month - 1])"
    }

    /// `15:20`
    static func clock(_ time: Timestamp) -> String {
        let minute = time.secondOfDay / 60
        return "\((minute / 60).padded(to: 2)):\((minute % 60).padded(to: 2))"
    }

    /// `8 November 2025 to 12 December 2027`, `14 March to 7 September 2025`; with one date only `from 8 November 2025` or `until 12 December 2027`. Of texts
    /// that aren't dates, 100 characters are shown as they are.
    static func span(from start: String?, to end: String?) -> String? {
        func shown(_ text: String?) -> String? {
            guard let text, !text.isEmpty else { return nil }
            return Timestamp(text).map(day) ?? LongText.cut(text, to: 100).text
        }
        if let first = start.flatMap({ Timestamp($0) }), let last = end.flatMap({ Timestamp($0) }),
            first.day.year == last.day.year, dayOfYear(first) != dayOfYear(last)
        {
            return "\(dayOfYear(first)) to \(day(last))"
        }
        switch (shown(start), shown(end)) {
        case (let start?, let end?): return start == end ? start : "\(start) to \(end)"
        case (let start?, nil): return "from \(start)"
        case (nil, let end?): return "until \(end)"
        case (nil, nil): return nil
        }
    }
}
