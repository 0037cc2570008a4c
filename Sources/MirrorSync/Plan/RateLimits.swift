import CatalogueSources

/// How many requests a described source allows, from which a dry run computes the minimum duration of a sync.
struct RateLimits: Sendable, Hashable {
    /// The minimum number of seconds between two requests to a host; `nil` without a limit.
    let spacing: Double?
    /// The maximum number of requests to a host on one day; `nil` without a limit.
    let perDay: Int?
    /// The number of requests to the base's host that are left today.
    let left: Int
    /// The share of pictures that are on the base's host, from 0 to 1. The others are on one host of their own.
    let ownFiles: Double

    /// - Parameters:
    ///   - today: the day, counted from 1 January 1970.
    ///   - counted: the latest day with requests to the base's host, and their number; `nil` if there is none.
    ///   - ownFiles: the share of pictures that are on the base's host.
    init(_ rate: RequestRate, today: Int, counted: (day: Int, requests: Int)?, ownFiles: Double) {
        spacing = rate.requests.map { rate.interval / .seconds(1) / $0 }
        perDay = rate.perDay
        let used = counted.map { $0.day == today ? $0.requests : 0 } ?? 0
        left = max(0, (rate.perDay ?? .max) - used)
        self.ownFiles = ownFiles
    }

    /// The number of requests to the host that is sent most of them.
    private func busiest(_ work: Forecast.Work) -> Double {
        let objects = max(0, work.requests - work.files)
        return max(objects + work.files * ownFiles, work.files * (1 - ownFiles))
    }

    /// The number of days (UTC) that a sync with this work takes: 1 if today's budget is enough.
    func days(for work: Forecast.Work) -> Int {
        let more = busiest(work) - Double(left)
        guard let perDay, perDay > 0, more > 0 else { return 1 }
        return 1 + Int(min(more / Double(perDay), 1_000_000).rounded(.up))
    }

    /// The forecast, but not shorter than the rate and the daily budget allow.
    func applied(to forecast: Forecast, of work: Forecast.Work) -> Forecast {
        let paced = (spacing ?? 0) * max(0, busiest(work) - 1)
        let minimum = max(paced, Double(days(for: work) - 1) * 86_400)
        return Forecast(median: max(forecast.median, minimum), p90: max(forecast.p90, minimum * 1.1))
    }
}
