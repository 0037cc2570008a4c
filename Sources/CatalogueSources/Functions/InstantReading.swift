import Catalogue

/// Reads the instants that servers write, and writes them in one form.
enum InstantReading {
    /// The instant as `2026-01-02T03:04:05.000Z`; `nil` if the text isn't one.
    ///
    /// ```
    /// 2026-01-02T03:04:05Z           2026-01-02T03:04:05.000Z
    /// 2026-01-02T03:04:05-0500       2026-01-02T08:04:05.000Z
    /// 2026-01-02T03:04:05-06:00      2026-01-02T09:04:05.000Z
    /// 2026-01-02 03:04:05.000000     2026-01-02T03:04:05.000Z     without a zone: UTC
    /// 2026-01-02T03:04               2026-01-02T03:04:00.000Z
    /// 2026-01-02                     2026-01-02T00:00:00.000Z
    /// 1767323045                     2026-01-02T03:04:05.000Z     seconds since 1970
    /// 1767323045000                  2026-01-02T03:04:05.000Z     milliseconds since 1970
    /// ```
    static func instant(_ text: String) -> String? {
        let text = text.trimmed
        guard let time = Timestamp(text) ?? withSeconds(text) ?? sinceEpoch(text) else { return nil }
        // An offset may lead out of the years with four digits, whose texts are in the order of time.
        return years.contains(time.seconds) ? time.text : nil
    }

    /// The seconds of the years 0 to 9999.
    private static let years = -62_167_219_200..<253_402_300_800

    /// `2026-01-02T03:04`, with or without an offset.
    private static func withSeconds(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 16, bytes[13] == UInt8(ascii: ":") else { return nil }
        guard bytes.count == 16 || bytes[16] != UInt8(ascii: ":") else { return nil }
        return Timestamp(
            String(decoding: bytes[..<16], as: UTF8.self) + ":00"
                + String(decoding: bytes[16...], as: UTF8.self))
    }

    /// A year is not a number of seconds, so that fewer than nine digits are refused.
    private static func sinceEpoch(_ text: String) -> Timestamp? {
        guard (9...14).contains(text.utf8.count), let number = Int(text), number > 0 else { return nil }
        // The number of seconds has twelve digits from the year 5138 on.
        return number < 100_000_000_000
            ? Timestamp(seconds: number)
            : Timestamp(seconds: number / 1000, nanoseconds: number % 1000 * 1_000_000)
    }
}

/// Converts lengths.
enum Measure {
    /// The length in centimetres, rounded to a thousandth of a millimetre; `nil` if the value isn't a number, is negative, or
    /// the unit is unknown.
    static func centimetres(_ value: String, unit: String) -> Double? {
        let digits = value.trimmed.map { $0 == "," ? "." : $0 }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), digits.count <= 15,
            let number = Double(String(digits)), let factor = factor(of: unit)
        else { return nil }
        return (number * factor * 10_000).rounded() / 10_000
    }

    private static func factor(of unit: String) -> Double? {
        switch unit.trimmed.lowercased().filter({ $0 != "." }) {
        case "mm", "millimeter", "millimeters", "millimetre", "millimetres": 0.1
        case "cm", "centimeter", "centimeters", "centimetre", "centimetres": 1
        case "dm", "decimeter", "decimeters", "decimetre", "decimetres": 10
        case "m", "meter", "meters", "metre", "metres": 100
        case "in", "inch", "inches", "\"", "″", "”": 2.54
        case "ft", "foot", "feet", "'", "′", "’": 30.48
        case "yd", "yard", "yards": 91.44
        default: nil
        }
    }
}
