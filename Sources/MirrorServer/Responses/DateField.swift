import Foundation
import Synchronization

/// The time as answers say it (`Date`, RFC 9110 section 5.6.7), made once a second.
final class DateField: Sendable {
    private let made = Mutex<(second: time_t, text: String)>((-1, ""))

    func now() -> String {
        let second = time(nil)
        return made.withLock { made in
            if made.second != second { made = (second, Self.text(second)) }
            return made.text
        }
    }

    static func text(_ second: time_t) -> String {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = days[Int(parts.tm_wday)], month = months[Int(parts.tm_mon)]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded).joined(separator: ":")
        return "\(day), \(padded(parts.tm_mday)) \(month) \(parts.tm_year + 1900) \(time) GMT"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
