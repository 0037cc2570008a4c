import CatalogueSources
import Foundation

/// How fast a description allows requests to a host, and how long a number of requests takes at this rate.
package struct RequestPace: Sendable, Hashable {
    /// Seconds from one request to the next; 0 without a limit.
    package let spacing: Double
    /// The maximum number of requests on one day (UTC); `nil` for no limit.
    package let perDay: Int?
    /// Whether the description lists further hosts, such as one of pictures, which have the same limits for themselves.
    package let hasOtherHosts: Bool

    package init(spacing: Double, perDay: Int? = nil, hasOtherHosts: Bool = false) {
        self.spacing = spacing
        self.perDay = perDay.map { max(1, $0) }
        self.hasOtherHosts = hasOtherHosts
    }

    /// The limits of a description, with this run's rate.
    package init(_ description: SourceDescription) {
        let rate = description.rate
        self.init(
            spacing: rate.requests.map { rate.interval / .seconds(1) / $0 } ?? 0, perDay: rate.perDay,
            hasOtherHosts: !description.hosts.isEmpty)
    }

    /// Whether there is any limit.
    package var isLimited: Bool { spacing > 0 || perDay != nil }

    /// The least number of seconds that requests to one host take; 0 without a limit.
    package func seconds(for requests: Double) -> Double {
        max(requests * spacing, perDay.map { requests * Self.day / Double($0) } ?? 0)
    }

    /// The least number of seconds that requests for objects and for files take. Files of another host are requested at the same
    /// time as objects.
    package func seconds(for requests: Double, files: Double) -> Double {
        hasOtherHosts ? max(seconds(for: requests), seconds(for: files)) : seconds(for: requests + files)
    }

    /// When requests to one host will be done at this rate, if they begin now and continue at the beginning of each day (UTC).
    ///
    /// - Parameter sent: the number of requests that the host was already sent today.
    /// - Returns: `nil` without a limit: the server decides.
    package func end(of requests: Int, sent: Int, now: Date) -> Date? {
        guard isLimited else { return nil }
        guard requests > 0 else { return now }
        let time = now.timeIntervalSince1970,
            midnight = (time / Self.day).rounded(.down) * Self.day + Self.day
        let today = min(perDay.map { max(0, $0 - sent) } ?? .max, slots(in: midnight - time))
        guard requests > today else { return now.addingTimeInterval(Double(requests) * spacing) }
        let daily = max(1, min(perDay ?? .max, slots(in: Self.day))), left = requests - today
        let days = (left - 1) / daily
        let seconds = Double(days) * Self.day + Double(left - days * daily) * spacing
        return Date(timeIntervalSince1970: midnight + seconds)
    }

    private func slots(in seconds: Double) -> Int {
        spacing > 0 ? Int(min(seconds / spacing, 1e15)) : .max
    }

    private static let day = 86_400.0
}

/// The interval at which a watch syncs from a described source.
///
/// An unchanged sync uses at most a tenth of what its host allows, so that the rest remains for changes, for pictures and for the
/// server's other clients:
///
/// | quantity | limit |
/// |---|---|
/// | requests of the last sync, at the rate | a tenth of the interval; without a rate as for one request a second |
/// | requests of all syncs of a day | a tenth of the day's budget |
/// | duration of the last sync | a tenth of the interval |
/// | the interval itself | at least the chosen one (default 30 s), at most a day |
///
/// After a first copy, and after many changes, the interval is longer than necessary; the next sync shortens it.
package struct SourceInterval: Sendable, Hashable {
    /// The part of the host's time and budget that syncs without changes may use: a tenth.
    private static let part = 10.0

    /// - Parameters:
    ///   - requests: the number of requests of the last sync.
    ///   - seconds: its duration.
    ///   - least: the interval that was chosen for the watch.
    package static func after(
        requests: Int, seconds: Double, pace: RequestPace, least: Duration
    ) -> Duration {
        let spacing = pace.spacing > 0 ? pace.spacing : 1
        let limits = RequestPace(spacing: spacing, perDay: pace.perDay)
        let needed = max(limits.seconds(for: Double(max(0, requests))), seconds) * part
        return max(least, .seconds(Int(min(max(0, needed), 86_400).rounded(.up))))
    }
}
