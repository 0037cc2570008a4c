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
        let date = civil(days: days)
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

    /// Days since 1970-01-01 of a day in the Gregorian calendar: eras of 400 years that start in March, so that
    /// the leap day is the last of a year.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// `nil` for a time or a day of a month that isn't on the clock or in the calendar.
    static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int? {
        guard day >= 1, day <= length(of: month, in: year), hour < 24, minute < 60, second <= 60 else {
            return nil
        }
        // A leap second counts as the one before: an earlier instant is the careful reading.
        return days(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + min(second, 59)
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
