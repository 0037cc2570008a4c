import ArgumentParser

/// A length of time as a person writes it: a whole number with its unit, `30s`, `5m`, `2h`, `7d`, `3w`, `6mo`, `2y`.
///
/// A month is 30 days and a year 365: these say how long, not until when. A bare number is refused, since nobody can
/// tell whether it means seconds or days; only `0` needs no unit.
struct DurationArgument: Equatable {
    let duration: Duration

    static let form = "a number with its unit, such as 30s, 5m, 2h, 7d, 3w, 6mo or 2y"

    /// A thousand years: beyond it nothing was meant.
    private static let longest = 1_000 * 365 * 86_400
    private static let units = [
        "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "mo": 30 * 86_400, "y": 365 * 86_400,
    ]

    init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), number <= Self.longest else { return nil }
        let unit = text.dropFirst(digits.count).lowercased()
        guard let length = unit.isEmpty && number == 0 ? 1 : Self.units[unit],
            number * length <= Self.longest
        else { return nil }
        duration = .seconds(number * length)
    }

    /// Reads an option's value.
    ///
    /// - Throws: `ValidationError` with one sentence for what is no length of time, or a shorter one than `least`.
    static func parse(_ text: String, least: (text: String, note: String)? = nil) throws -> Duration {
        guard let argument = DurationArgument(text) else { throw ValidationError("Give \(form).") }
        if let least, let limit = DurationArgument(least.text), argument.duration < limit.duration {
            throw ValidationError("It is at least \(least.text)\(least.note).")
        }
        return argument.duration
    }
}
