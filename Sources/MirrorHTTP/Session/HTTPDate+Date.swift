import Foundation

extension HeaderFields {
    /// The server's time of the answer (`Date`); `nil` if it has none.
    package var date: Date? { firstValue(of: "Date").flatMap(HTTPDate.date) }
}

extension HTTPDate {
    /// The moment that a field's value names; `nil` for what is no HTTP date.
    package static func date(_ text: String) -> Date? {
        parse(text.trimmed, now: Date().timeIntervalSince1970).map { Date(timeIntervalSince1970: $0) }
    }
}
