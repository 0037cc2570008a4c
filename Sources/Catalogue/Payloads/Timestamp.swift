/// A point in time in the API's format (RFC 3339), for comparisons.
///
/// Payloads keep their timestamps as texts, so that nothing is lost.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970-01-01T00:00:00Z, negative before.
    public let seconds: Int
    /// The fraction of the second, from 0 to 999,999,999.
    public let nanoseconds: Int

    /// Creates a point in time.
    /// - Parameter seconds: whole seconds since 1970-01-01T00:00:00Z, negative before.
    public init(seconds: Int, nanoseconds: Int = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Seconds since 1970-01-01T00:00:00Z, with their fraction.
    public var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    /// Reads an RFC 3339 timestamp; `nil` if the text isn't one.
    ///
    /// - `t`, `z`, and a space instead of `T` are accepted (RFC 3339 section 5.6), and fractions of any length.
    /// - An offset without its colon is accepted. A missing offset, or a date alone, is read as UTC.
    /// - A leap second is read as the second after it.
    public init?(_ text: String) {
        var reader = DigitReader(rest: text.utf8[...])
        guard let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2), reader.skip("-"),
            let day = reader.digits(2)
        else { return nil }
        let date = CalendarDate(year: year, month: month, day: day)
        guard date.exists else { return nil }
        let days = date.daysSince1970
        if reader.isAtEnd {
            self.init(seconds: days * 86_400)
            return
        }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.digits(2),
            reader.skip(":"), let minute = reader.digits(2), reader.skip(":"), let second = reader.digits(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var nanoseconds = 0
        if reader.skip(".") {
            guard let fraction = reader.fraction() else { return nil }
            nanoseconds = fraction
        }
        guard let offset = Self.offset(&reader), reader.isAtEnd else { return nil }
        self.init(
            seconds: days * 86_400 + hour * 3600 + minute * 60 + second - offset, nanoseconds: nanoseconds)
    }

    /// Whether `left` is earlier than `right`.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// The offset in seconds east of UTC.
    private static func offset(_ reader: inout DigitReader) -> Int? {
        if reader.isAtEnd || reader.skip("Z") || reader.skip("z") { return 0 }
        let isWest = reader.skip("-")
        guard isWest || reader.skip("+"), let hours = reader.digits(2) else { return nil }
        _ = reader.skip(":")
        guard let minutes = reader.digits(2), hours < 24, minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}

extension Timestamp {
    /// The time a number of calendar months earlier, in UTC, at the same time of day.
    ///
    /// If the month is too short, the result is its last day: three months before 31 May is 28 or 29 February.
    /// - Parameter months: negative for a later time.
    public func earlier(months: Int) -> Timestamp {
        let day = CalendarDate.floor(seconds, by: 86_400)
        var date = CalendarDate(daysSince1970: day)
        let month = date.year * 12 + date.month - 1 - months
        date.year = CalendarDate.floor(month, by: 12)
        date.month = month - date.year * 12 + 1
        date.day = min(date.day, CalendarDate.length(of: date.month, in: date.year))
        return Timestamp(seconds: seconds + (date.daysSince1970 - day) * 86_400, nanoseconds: nanoseconds)
    }

    /// The day in UTC.
    package var day: CalendarDate { CalendarDate(daysSince1970: CalendarDate.floor(seconds, by: 86_400)) }

    /// The seconds since the beginning of the day in UTC.
    package var secondOfDay: Int { seconds - CalendarDate.floor(seconds, by: 86_400) * 86_400 }

    /// The time in RFC 3339, in UTC, truncated to milliseconds: `2026-01-31T12:00:00.000Z`.
    ///
    /// For the years 0 to 9999, all texts have the same length, and their order as texts is the order of the times.
    public var text: String {
        let date = day, second = secondOfDay
        var text = ""
        for (number, width, end) in [
            (date.year, 4, "-"), (date.month, 2, "-"), (date.day, 2, "T"), (second / 3600, 2, ":"),
            (second / 60 % 60, 2, ":"), (second % 60, 2, "."), (nanoseconds / 1_000_000, 3, "Z"),
        ] {
            text += number.padded(to: width) + end
        }
        return text
    }
}

extension Int {
    /// The number with leading zeros, with at least `width` digits.
    package func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}

/// A day of the proleptic Gregorian calendar.
package struct CalendarDate: Sendable, Hashable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is `days` days after 1970-01-01; a negative number counts back.
    ///
    /// The calculation uses eras of 400 years that begin in March, so that the leap day is the last day of a year.
    package init(daysSince1970 days: Int) {
        let fromMarch = days + 719_468
        let era = Self.floor(fromMarch, by: 146_097), ofEra = fromMarch - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * ofYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        day = ofYear - (153 * monthFromMarch + 2) / 5 + 1
    }

    package var daysSince1970: Int {
        let shifted = month > 2 ? year : year - 1
        let era = Self.floor(shifted, by: 400), yearOfEra = shifted - era * 400
        let ofYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
    }

    /// Whether the calendar contains this day.
    package var exists: Bool {
        (1...12).contains(month) && (1...Self.length(of: month, in: year)).contains(day)
    }

    /// The number of days in a month.
    static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The quotient, rounded down, also for negative numbers.
    package static func floor(_ number: Int, by divisor: Int) -> Int {
        number >= 0 ? number / divisor : (number + 1) / divisor - 1
    }
}

/// Reads the bytes of a timestamp from left to right.
private struct DigitReader {
    var rest: Substring.UTF8View

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ scalar: UnicodeScalar) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        rest.removeFirst(count)
        return Self.number(digits)
    }

    /// Reads a fraction of a second in nanoseconds. Digits after the ninth are ignored.
    mutating func fraction() -> Int? {
        let digits = rest.prefix(while: \.isASCIIDigit)
        rest.removeFirst(digits.count)
        let nano = digits.prefix(9)
        return nano.isEmpty ? nil : (nano.count..<9).reduce(Self.number(nano)) { number, _ in number * 10 }
    }

    private static func number(_ digits: Substring.UTF8View) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
