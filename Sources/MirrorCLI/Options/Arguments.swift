import ArgumentParser
import Catalogue
import Foundation
import MirrorStore
import MirrorSync

extension Optional {
    /// The value that an option's text was parsed into.
    ///
    /// - Throws: `ValidationError` with `message` if it is `nil`.
    func orInvalid(_ message: String) throws -> Wrapped {
        guard let self else { throw ValidationError(message) }
        return self
    }
}

/// A duration in an argument: a whole number with its unit, `30s`, `5m`, `2h`, `7d`, `3w`, `6mo`, `2y`.
///
/// A month is 30 days and a year is 365 days. A number without a unit is rejected, because it could mean seconds or days;
/// only `0` needs no unit.
struct DurationArgument: Equatable {
    let duration: Duration

    static let form = "a number with its unit, such as 30s, 5m, 2h, 7d, 3w, 6mo or 2y"

    /// A thousand years, in seconds. A longer duration is a typing error.
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

    /// Parses an option's value.
    ///
    /// - Throws: `ValidationError` if the text is not a duration, or is shorter than `least`.
    static func parse(_ text: String, least: (text: String, note: String)? = nil) throws -> Duration {
        let duration = try DurationArgument(text).orInvalid("Give \(form).").duration
        if let least, let limit = DurationArgument(least.text), duration < limit.duration {
            throw ValidationError("The time must be at least \(least.text)\(least.note).")
        }
        return duration
    }
}

/// A point in time in an argument: a date, a timestamp, or an age such as `7d`.
enum SinceArgument: ExpressibleByArgument {
    case at(Date)
    /// Seconds before now.
    case ago(TimeInterval)

    /// - Parameter argument: `2026-11-01` (its beginning, UTC), `2026-11-01T08:30:00Z`, or an age as
    ///   ``DurationArgument`` reads it: `30m`, `12h`, `7d`, `2w`.
    init?(argument: String) {
        if argument.last?.isLetter == true, let age = DurationArgument(argument) {
            self = .ago(age.duration / .seconds(1))
        } else if let time = Timestamp(argument) {
            self = .at(Date(timeIntervalSince1970: time.secondsSince1970))
        } else {
            return nil
        }
    }

    /// The time in the store's format.
    func text(now: Date) -> String {
        switch self {
        case .at(let date): CatalogueStore.text(of: date)
        case .ago(let seconds): CatalogueStore.text(of: now.addingTimeInterval(-seconds))
        }
    }
}

/// A kind of object in an argument: `artwork` or `artworks`.
struct KindArgument: ExpressibleByArgument {
    let kind: Kind

    init?(argument: String) {
        let word = argument.lowercased()
        guard let kind = Kinds.standard.all.first(where: { word == $0.name || word == $0.plural }) else {
            return nil
        }
        self.kind = kind
    }

    static let allValueStrings = Kinds.standard.all.map(\.name)

    /// The kinds for help texts, the most used ones first.
    static let words = "artwork, artist, show, album, location, document, partner or user"
}

/// A run in an argument: its number, `latest`, `latest-1` (the run before it), or `good`, the last complete run.
enum RunArgument: ExpressibleByArgument, Equatable {
    case number(Int64)
    /// The number of runs to count back from the last one.
    case latest(Int)
    case good

    init?(argument: String) {
        let word = argument.lowercased()
        if let number = Int64(word), number >= 0, word.first != "+" {
            self = .number(number)
        } else if word == "good" {
            self = .good
        } else if word == "latest" {
            self = .latest(0)
        } else if word.hasPrefix("latest-"), let back = Int(word.dropFirst(7)), back > 0, back < 1_000_000 {
            self = .latest(back)
        } else {
            return nil
        }
    }

    /// The default in help texts: only `latest` is ever used as one.
    var defaultValueDescription: String { "latest" }

    /// - Throws: ``StoreError/Code/unknownRun``.
    func number(in store: CatalogueStore) throws -> Int64 {
        switch self {
        case .number(let number):
            if number > 0 { try store.checkRun(number) }
            return number
        case .latest(let back):
            let runs = try store.runs(limit: back + 1)
            guard runs.count > back else {
                throw StoreError(
                    .unknownRun,
                    "The history contains only \(Wording.count(runs.count, "run")). See mirror log --runs.")
            }
            return runs[back].run
        case .good:
            guard let good = try store.lastComplete() else {
                throw StoreError(.unknownRun, "The history contains no complete run. See mirror log --runs.")
            }
            return good.run
        }
    }
}
