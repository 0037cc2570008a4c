import Catalogue

/// Times in sentences of the pages, in English and UTC, which they name. The year is left out if it is the current one.
struct MomentText {
    let now: Timestamp

    /// `26 November`, or `26 November 2025`; a text that isn't a time as it is.
    func day(_ text: String) -> String { Timestamp(text).map(day) ?? text }

    func day(_ time: Timestamp) -> String {
        time.day.year == now.day.year ? PageDates.dayOfYear(time) : PageDates.day(time)
    }

    /// `26 November, 15:20 UTC`
    func moment(_ text: String) -> String {
        Timestamp(text).map { "\(day($0)), \(PageDates.clock($0)) UTC" } ?? text
    }

    /// `26 November, 15:20`, for tables and lists that name the zone once.
    func brief(_ text: String) -> String {
        Timestamp(text).map { "\(day($0)), \(PageDates.clock($0))" } ?? text
    }

    /// `26 November at 15:20 UTC`
    func at(_ text: String) -> String {
        Timestamp(text).map { "\(day($0)) at \(PageDates.clock($0)) UTC" } ?? text
    }

    /// `19 days`, `5 hours`; always at least an hour.
    static func age(_ seconds: Int) -> String {
        let hours = max(1, seconds / 3_600), days = hours / 24
        if days >= 2 { return "\(CountText(days).digits) days" }
        return hours == 1 ? "1 hour" : "\(hours) hours"
    }
}
