import Catalogue
import GRDB

/// The SQL functions with which the index is filled: sort keys, and the years of a date text. All are pure.
///
/// Only connections that write have them. Triggers, views and the queries of readers use none.
enum IndexFunctions {
    static let all = [sortKey, naturalKey, artistKey, dateYear, dateCentury, dateDecade, letter, showKey]

    /// `sort_key(text)`: the sort key of a title or name; `NULL` if there is none.
    private static let sortKey = text("sort_key") { SortKey.folded($0) }

    /// `natural_key(text)`: the sort key of a name with numbers ordered by their value; `NULL` if there is none.
    private static let naturalKey = text("natural_key") { SortKey.natural($0) }

    /// `artist_key(json)`: the sort key of an artist's name as lists have it, the family name first; `NULL` if there is none.
    private static let artistKey = text("artist_key") { json in
        (try? Artist(text: json))?.listName.flatMap { SortKey.folded($0) }
    }

    /// `date_year(text)`: the first year of a date text; `NULL` if it names none.
    private static let dateYear = text("date_year") { YearSpan(parsing: $0)?.first }
    /// `date_century(text)`: the century of a date text.
    private static let dateCentury = text("date_century") { YearSpan(parsing: $0)?.century }
    /// `date_decade(text)`: the first year of the decade of a date text.
    private static let dateDecade = text("date_decade") { YearSpan(parsing: $0)?.decade }

    /// `letter(key)`: the letter under which a sort key stands, `#` if it begins with none.
    private static let letter = text("letter") { SortKey.initial(ofKey: $0) ?? "#" }

    /// `show_key(start_at, end_at, name)`: orders shows by their first day, the latest first. Shows without a date are last.
    private static let showKey = DatabaseFunction("show_key", argumentCount: 3, pure: true) { values in
        let texts = values.map { String.fromDatabaseValue($0) }
        return key(ofShowFrom: texts[0] ?? texts[1], name: texts[2])
    }

    /// The key that orders a show in a list by date.
    static func key(ofShowFrom date: String?, name: String?) -> String {
        let day = date.flatMap { Timestamp($0) }.map { Int((Double($0.seconds) / 86_400).rounded(.down)) }
        // Days are counted back from one after all dates, so that the latest has the smallest number.
        let place = day.map { (latestDay - $0).padded(to: 8) } ?? "99999999"
        return "\(place) \(name.flatMap { SortKey.folded($0) } ?? ArtworkSort.untitled)"
    }

    /// After all days that a date with a year of four digits can name.
    private static let latestDay = 3_000_000

    private static func text(
        _ name: String, _ body: @escaping @Sendable (String) -> (any DatabaseValueConvertible)?
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).flatMap(body)
        }
    }
}
