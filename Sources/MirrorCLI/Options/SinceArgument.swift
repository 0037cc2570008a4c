import ArgumentParser
import Catalogue
import Foundation
import MirrorStore

/// A moment as a person writes it: a date, a timestamp, or an age such as `7d`.
struct SinceArgument: ExpressibleByArgument, Equatable {
    enum Moment: Equatable {
        /// Seconds since 1970.
        case at(Double)
        /// Seconds before now.
        case ago(Double)
    }

    let moment: Moment

    /// - Parameter argument: `2026-11-01` (its beginning, UTC), `2026-11-01T08:30:00Z`, or an age as
    ///   ``DurationArgument`` reads it: `30m`, `12h`, `7d`, `2w`.
    init?(argument: String) {
        if argument.last?.isLetter == true, let age = DurationArgument(argument) {
            moment = .ago(Double(age.duration.components.seconds))
        } else if let time = Timestamp(argument) {
            moment = .at(time.secondsSince1970)
        } else {
            return nil
        }
    }

    /// The moment as the store writes times.
    func text(now: Date) -> String {
        switch moment {
        case .at(let seconds): CatalogueStore.text(of: Date(timeIntervalSince1970: seconds))
        case .ago(let seconds): CatalogueStore.text(of: now.addingTimeInterval(-seconds))
        }
    }
}
