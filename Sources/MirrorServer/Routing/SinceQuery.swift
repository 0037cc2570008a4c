import Catalogue

/// From when on changes are asked for.
enum SinceQuery {
    /// Calendar months, in UTC, that a time may lie back.
    static let months = 3

    /// - Returns: the time as stores write times.
    /// - Throws: ``Refusal``: 400 for what is no timestamp, and for one that lies back too far.
    static func time(_ text: String, now: Timestamp) throws(Refusal) -> String {
        guard let since = Timestamp(text) else { throw .invalid("since") }
        guard since >= now.earlier(months: months) else { throw .sinceTooOld }
        return min(since, latest).text
    }

    /// The last time with a year of four digits: what is later can't be compared as text.
    private static let latest = Timestamp(seconds: 253_402_300_799, nanoseconds: 999_000_000)
}
