import Foundation

/// Reads `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The wait that a field's value asks for: seconds, or the time until an HTTP date; `nil` for anything else.
    package static func wait(_ value: String?, now: Date) -> Duration? {
        guard let text = value?.trimmed, !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number too large for a wait is as good as a very long one.
            return .seconds(min(Int(text) ?? .max, 10 * 365 * 86_400))
        }
        guard let date = HTTPDate.date(text) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now).rounded(.up)))
    }
}
