import Foundation

/// Reads `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The wait that an answer asks for, `nil` if it doesn't.
    ///
    /// A date counts from that answer's own `Date`: the server's clock need not be ours.
    ///
    /// - Parameter now: by our clock; stands for a `Date` that is missing.
    package static func wait(_ answer: HeaderFields, now: Date) -> Duration? {
        guard let value = answer["Retry-After"] else { return nil }
        return wait(value, now: answer.date ?? now)
    }

    /// The wait that a field's value asks for: seconds, or the time until an HTTP date, none for one that is over; `nil` for
    /// anything else.
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
