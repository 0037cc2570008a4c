import Foundation

extension HTTPDate {
    /// The moment that a field's value names; `nil` for what is no HTTP date.
    package static func date(_ text: String) -> Date? {
        parse(text.trimmed, now: Date().timeIntervalSince1970).map { Date(timeIntervalSince1970: $0) }
    }
}
