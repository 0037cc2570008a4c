import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// Formats numbers, times and lists as human-readable text, independently of the machine's locale.
enum Wording {
    /// `1,234,567`
    static func count(_ number: Int) -> String { number.formatted(.number.locale(locale)) }

    private static let locale = Locale(identifier: "en_US")

    /// `1 request`, `2 requests`
    static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `1 artwork`, `2 artworks`
    static func count(_ number: Int, _ kind: Kind) -> String {
        "\(count(number)) \(number == 1 ? kind.name : kind.plural)"
    }

    /// `999 B`, `1.0 kB`, `23.4 MB`: in decimal units, as is usual for disks and networks.
    static func bytes(_ bytes: Int64) -> String {
        var value = Double(bytes), unit = "B"
        for larger in ["kB", "MB", "GB", "TB"] where value >= 999.5 {
            value /= 1_000
            unit = larger
        }
        return unit == "B" ? "\(bytes) B" : "\(decimal(value)) \(unit)"
    }

    /// With one digit after the decimal point.
    static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(count(tenths / 10)).\(abs(tenths % 10))"
    }

    /// `0.04 s`, `1.8 s`, `42 s`, `3 min 20 s`, `2 h 5 min`, `3 days`
    static func duration(_ seconds: Double) -> String {
        if seconds < 0.995 { return String(format: "%.2f s", (max(0, seconds) * 100).rounded() / 100) }
        if seconds < 9.95 { return "\(decimal(seconds)) s" }
        let whole = Int(seconds.rounded())
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3_600: return "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s")
        case ..<86_400: return "\(whole / 3_600) h" + (whole / 60 % 60 == 0 ? "" : " \(whole / 60 % 60) min")
        default: return count(whole / 86_400, "day")
        }
    }

    /// `just now`, `5 min ago`, `3 days ago`; for a time more than a minute in the future, that a clock is wrong.
    static func age(_ seconds: Double) -> String {
        switch seconds {
        case ..<(-60): return "in the future by this computer's clock"
        case ..<60: return "just now"
        case ..<3_600: return "\(Int(seconds / 60)) min ago"
        case ..<86_400: return "\(Int(seconds / 3_600)) h ago"
        default: return "\(count(Int(seconds / 86_400), "day")) ago"
        }
    }

    /// `0:07`, `12:34`, `1:02:03`
    static func clock(_ seconds: Double) -> String {
        let whole = Duration.seconds(Int(max(0, seconds)))
        let pattern: Duration.TimeFormatStyle.Pattern =
            whole < .seconds(3_600) ? .minuteSecond : .hourMinuteSecond
        return whole.formatted(Duration.TimeFormatStyle(pattern: pattern, locale: locale))
    }

    /// `41 new`, `3 changed`, `1 gone`; counts of 0 are left out.
    static func changes(created: Int, updated: Int, deleted: Int) -> [String] {
        [(created, "new"), (updated, "changed"), (deleted, "gone")].filter { $0.0 > 0 }
            .map { "\(count($0.0)) \($0.1)" }
    }

    /// `a`, `a and b`, `a, b and c`
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// `2026-11-21 12:52:19 UTC (3 h ago)`, from a time in the store's format.
    static func moment(_ timestamp: String, now: Date) -> String {
        let short = "\(timestamp.printable.prefix(19).replacing("T", with: " ")) UTC"
        guard let date = MirrorAge.date(timestamp) else { return short }
        return "\(short) (\(age(now.timeIntervalSince(date))))"
    }

    /// `at most 1 request/s`, `at most 40 requests/min, 80,000 a day`; `nil` without a limit.
    static func limit(_ pace: RequestPace) -> String? {
        var limits: [String] = []
        if pace.spacing > 0 {
            let units = [("s", 1.0), ("min", 60), ("h", 3_600)]
            let (unit, seconds) = units.first { $0.1 / pace.spacing >= 0.995 } ?? ("day", 86_400)
            let number = seconds / pace.spacing, whole = number.rounded()
            let text = abs(number - whole) < 0.05 ? count(Int(min(whole, 1e15))) : decimal(min(number, 1e15))
            limits.append("\(text) request\(text == "1" ? "" : "s")/\(unit)")
        }
        if let day = pace.perDay {
            limits.append(limits.isEmpty ? "\(count(day, "request")) a day" : "\(count(day)) a day")
        }
        return limits.isEmpty ? nil : "at most \(limits.joined(separator: ", "))"
    }

    /// `2026-11-28 00:00 UTC`, rounded down to a minute.
    static func time(_ date: Date) -> String {
        let text = date.formatted(
            .iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
        return "\(text.prefix(16)) UTC"
    }

    /// `about 40 s left (30 s to 1 min)`; without the range if both ends are equal.
    static func left(_ range: TimeLeft.Range, hasRange: Bool = true) -> String {
        let about = coarse(range.seconds), low = coarse(range.low), high = coarse(range.high)
        let text = "about \(whole(about)) left"
        return hasRange && low < high ? "\(text) (\(whole(low)) to \(whole(high)))" : text
    }

    /// A duration of whole seconds: `42 s`, `3 min 20 s`
    static func whole(_ seconds: Double) -> String {
        seconds < 60 ? "\(Int(seconds)) s" : duration(seconds)
    }

    /// Rounds seconds to an estimate's precision, so that the text doesn't flicker: 7 s, 40 s, 1 min 30 s, 12 min, 2 h 5 min.
    static func coarse(_ seconds: Double) -> Double {
        let grain: Double =
            switch seconds {
            case ..<9.5: 1
            case ..<57.5: 5
            case ..<115: 10
            case ..<585: 30
            case ..<3_600: 60
            case ..<129_600: 300
            default: 86_400
            }
        return max(1, (seconds / grain).rounded() * grain)
    }
}
