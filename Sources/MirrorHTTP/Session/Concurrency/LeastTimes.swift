/// The responses that were requested since the width of a ``ConcurrencyLimit`` was last changed.
struct ResponseRound: Sendable {
    /// The time of each response, from its request to its head.
    var times: [Request.Kind: [Duration]] = [:]
    var ended = 0
    /// The number of requests that lost their connection.
    var lost = 0
    /// The maximum number of requests in flight.
    var most = 0
}

/// The least response times of the last 20 s, separately for each kind of request. A round's times are compared with them.
struct LeastTimes: Sendable {
    /// The least time of the rounds that ended in each of the last seconds.
    private var windows: [Request.Kind: [(second: Int64, time: Duration)]] = [:]

    /// Whether a round's responses were slow, compared with the least times; of several kinds, the mean by their number.
    ///
    /// The round's own times are compared with in later rounds, too.
    ///
    /// - Parameter now: When the round ended.
    mutating func compare(_ round: ResponseRound, _ now: Duration) -> (isSlow: Bool, isVerySlow: Bool) {
        var slow = 0.0, verySlow = 0.0, count = 0.0
        for (kind, times) in round.times {
            guard let time = times.median else { continue }
            remember(time, of: kind, now)
            let least = windows[kind]?.map(\.time).min() ?? time, weight = Double(times.count)
            slow += (time - .milliseconds(2)) / max(least, .microseconds(1)) * weight
            verySlow += (time - .milliseconds(5)) / max(least, .microseconds(1)) * weight
            count += weight
        }
        return (slow > 1.2 * count, verySlow > 1.5 * count)
    }

    /// Forgets the times of a kind, and remembers the median of these instead; does nothing without a time.
    mutating func replace(by times: ArraySlice<Duration>, of kind: Request.Kind, _ now: Duration) {
        if let time = Array(times).median { windows[kind] = [(now.components.seconds, time)] }
    }

    /// Adds a round's time to the window. Rounds may be shorter than a millisecond, so each second has one entry.
    private mutating func remember(_ time: Duration, of kind: Request.Kind, _ now: Duration) {
        let second = now.components.seconds
        var window = windows[kind, default: []]
        window.removeAll { $0.second < second - 20 }
        if let last = window.indices.last, window[last].second == second {
            window[last].time = min(window[last].time, time)
        } else {
            window.append((second, time))
        }
        windows[kind] = window
    }
}

extension [Duration] {
    /// The upper median; `nil` if there are no elements.
    fileprivate var median: Duration? { isEmpty ? nil : sorted()[count / 2] }
}
