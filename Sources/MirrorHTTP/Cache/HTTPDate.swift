import Catalogue

/// Dates as HTTP writes them (RFC 9110, section 5.6.7), in whole seconds since 1970, UTC.
package enum HTTPDate {
    /// Reads an IMF-fixdate, an RFC 850 date or an asctime date; `nil` for anything else.
    ///
    /// Letters compare without regard to case (RFC 9111, section 4.2); the only zone is GMT. The day of the week is
    /// required and not compared with the date.
    ///
    /// - Parameter now: seconds since 1970. A two-digit year that would lie more than 50 years ahead is in the past.
    package static func parse(_ text: String, now: Double) -> Double? {
        var text = text
        return text.withUTF8 { bytes in
            var reader = Reader(bytes: bytes)
            return reader.date(now: now).map(Double.init)
        }
    }

    /// Writes an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`; a fraction of a second is dropped.
    package static func format(_ seconds: Double) -> String {
        // Years 0 to 9999: what four digits can say.
        let whole = Int(max(-62_167_219_200, min(253_402_300_799, seconds.rounded(.down))))
        let days = (whole - (whole % 86400 + 86400) % 86400) / 86400
        let time = whole - days * 86400
        let date = CalendarDate(daysSince1970: days)
        let weekday = ((days % 7) + 11) % 7
        var out: [UInt8] = []
        out.reserveCapacity(29)
        out.append(contentsOf: Array(weekdays[weekday].utf8.prefix(3)))
        out.append(contentsOf: ", ".utf8)
        append(date.day, digits: 2, to: &out)
        out.append(0x20)
        out.append(contentsOf: months[date.month - 1].utf8)
        out.append(0x20)
        append(date.year, digits: 4, to: &out)
        out.append(0x20)
        append(time / 3600, digits: 2, to: &out)
        out.append(0x3A)
        append(time / 60 % 60, digits: 2, to: &out)
        out.append(0x3A)
        append(time % 60, digits: 2, to: &out)
        out.append(contentsOf: " GMT".utf8)
        return String(decoding: out, as: UTF8.self)
    }

    private static func append(_ number: Int, digits: Int, to out: inout [UInt8]) {
        var scale = 1
        for _ in 1..<digits { scale *= 10 }
        while scale > 0 {
            out.append(0x30 + UInt8(number / scale % 10))
            scale /= 10
        }
    }

    static let weekdays: [String] = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    static let months: [String] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `nil` for a time or a day of a month that isn't on the clock or in the calendar.
    static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int? {
        let date = CalendarDate(year: year, month: month, day: day)
        guard date.exists, hour < 24, minute < 60, second <= 60 else { return nil }
        // A leap second counts as the one before: an earlier instant is the careful reading.
        return date.daysSince1970 * 86400 + hour * 3600 + minute * 60 + min(second, 59)
    }
}
