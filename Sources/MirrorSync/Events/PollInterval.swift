import Foundation

/// How often a mirror is synced whose server has no events: as often as the cost of finding nothing allows.
///
/// | | at the most |
/// |---|---|
/// | time spent on it | 1 % |
/// | requests a minute | 6 |
/// | in any case | the interval that a person asked for, and once a day at the least |
enum PollInterval {
    /// What a sync took; `nil` before there was one to judge by.
    struct Cost: Sendable, Hashable {
        let seconds: Double
        let requests: Int
    }

    static let share = 0.01
    static let requestsPerMinute = 6.0
    static let longest: Duration = .seconds(86_400)

    static func interval(_ way: WatchWay, _ cost: Cost?, least: Duration) -> Duration {
        let cost = cost ?? assumed(way)
        let seconds = max(cost.seconds / share, Double(cost.requests) * 60 / requestsPerMinute)
        // A cost beyond all measure must not overflow.
        let wanted = Duration.seconds(Int(min(max(0, seconds), 86_400).rounded(.up)))
        return max(least, min(wanted, longest))
    }

    /// Before the first poll: about what it takes where some 10,000 objects didn't change.
    static func assumed(_ way: WatchWay) -> Cost {
        switch way {
        case .events, .since: Cost(seconds: 0.5, requests: 10)
        case .validators: Cost(seconds: 3, requests: 10)
        case .tree: Cost(seconds: 36, requests: 360)
        }
    }
}
