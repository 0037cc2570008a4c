import Foundation
import MirrorSync

/// Estimates how long a run still takes: the remaining work, divided by the pace of this run.
///
/// Until 5 % of the work is done, the estimate is mixed with the forecast from earlier runs. Lanes work concurrently, so the
/// slowest one decides. There is no estimate without a pace or a forecast. A source's limit of requests gives the least time, and
/// is an estimate by itself.
struct TimeLeft: Sendable {
    /// The work of a lane, in items.
    struct Lane: Sendable, Equatable {
        let done: Double
        /// `nil` while the amount of work is unknown.
        let left: Double?
    }

    /// An estimate in seconds: the true time is between ``low`` and ``high`` with about 90 % probability.
    struct Range: Sendable, Equatable {
        let seconds: Double, low: Double, high: Double
    }

    /// The share of the work after which earlier runs are ignored.
    private static let forecastShare = 0.05
    /// The least number of seconds between two changes of the shown range.
    private static let updateInterval = 1.0
    /// The spread of an estimate that follows from the rate of a source.
    private static let limitedSpread = 1.1
    /// Seconds. A longer estimate is not shown, unless the rate of a source requires that time.
    private static let longest = 30 * 86_400.0

    private var paces: [Pace] = []
    private var smoothed: (seconds: Double, spread: Double, at: Double)?
    private var shown: (range: Range, at: Double)?

    /// - Parameters:
    ///   - elapsed: seconds since the run began; never less than in the previous call.
    ///   - forecast: the forecast for the whole run.
    ///   - least: the least number of seconds that the remaining work takes at the rate of a source. Default: none is known.
    mutating func update(
        _ lanes: [Lane], elapsed: Double, forecast: Forecast?, least: Double? = nil
    ) -> Range? {
        while paces.count < lanes.count { paces.append(Pace()) }
        for (index, lane) in lanes.enumerated() { paces[index].add(lane, at: elapsed) }
        let measured = estimate(lanes, elapsed, forecast).flatMap { $0.seconds < Self.longest ? $0 : nil }
        guard let now = Self.bounded(measured, least) else {
            (smoothed, shown) = (nil, nil)
            return nil
        }
        let smooth = smooth(now, elapsed)
        if let shown, elapsed - shown.at < Self.updateInterval { return shown.range }
        let range = Range(
            seconds: smooth.seconds, low: smooth.seconds / smooth.spread,
            high: smooth.seconds * smooth.spread)
        shown = (range, elapsed)
        return range
    }

    /// The estimate, or the time at the rate of a source if that is longer.
    private static func bounded(
        _ measured: (seconds: Double, spread: Double)?, _ least: Double?
    ) -> (seconds: Double, spread: Double)? {
        guard let least, least > measured?.seconds ?? 0 else { return measured }
        return (least, limitedSpread)
    }

    private func estimate(
        _ lanes: [Lane], _ elapsed: Double, _ forecast: Forecast?
    ) -> (seconds: Double, spread: Double)? {
        var slowest: (seconds: Double, spread: Double, share: Double)?
        var isMeasured = true, isLeft = false
        for (lane, pace) in zip(lanes, paces) {
            guard let left = lane.left else {
                isMeasured = false
                continue
            }
            guard left > 0 else { continue }
            isLeft = true
            guard let rate = pace.rate, rate > 0 else {
                isMeasured = false
                continue
            }
            let seconds = left / rate
            if seconds > slowest?.seconds ?? -1 {
                slowest = (seconds, pace.spread(over: seconds), lane.done / (lane.done + left))
            }
        }
        let earlier = forecast.map {
            (seconds: max(0, $0.median - elapsed), spread: max(1.1, $0.p90 / max($0.median, 0.001)))
        }
        guard let slowest, isMeasured else {
            // After the forecast's time has passed, there is no estimate until a pace is measured.
            guard let earlier, earlier.seconds > 0, isLeft || !isMeasured else { return nil }
            return earlier
        }
        let measured = (seconds: slowest.seconds, spread: slowest.spread)
        guard let earlier, slowest.share < Self.forecastShare else {
            return elapsed < 1 || slowest.share < 0.01 ? nil : measured
        }
        let weight = 1 - slowest.share / Self.forecastShare
        return (
            weight * earlier.seconds + (1 - weight) * measured.seconds,
            max(earlier.spread, measured.spread)
        )
    }

    /// Smooths the estimate: the time since the last update is subtracted, then the result moves gradually to the new estimate.
    private mutating func smooth(
        _ now: (seconds: Double, spread: Double), _ elapsed: Double
    ) -> (seconds: Double, spread: Double) {
        guard let last = smoothed else {
            smoothed = (now.seconds, now.spread, elapsed)
            return now
        }
        let passed = max(0, elapsed - last.at)
        let weight = 1 - exp(-passed / min(3, max(0.3, elapsed / 10)))
        let expected = max(0, last.seconds - passed)
        let next = (
            seconds: max(0, expected + (now.seconds - expected) * weight),
            spread: last.spread + (now.spread - last.spread) * weight
        )
        smoothed = (next.seconds, next.spread, elapsed)
        return next
    }
}

extension TimeLeft {
    /// The speed of a lane. Recent work counts more; the longer the run, the further back it looks.
    private struct Pace: Sendable {
        private var done = 0.0, time = 0.0
        private var last: (done: Double, at: Double)?
        /// The run so far in at most 24 intervals of about equal length, to measure the variance.
        private var pieces: [(done: Double, time: Double)] = []
        private var length = 0.5

        var rate: Double? { time > 0 && done > 0 ? done / time : nil }

        mutating func add(_ lane: Lane, at elapsed: Double) {
            guard let last else {
                self.last = (lane.done, elapsed)
                return
            }
            let passed = elapsed - last.at, more = max(0, lane.done - last.done)
            guard passed > 0 else { return }
            self.last = (max(lane.done, last.done), elapsed)
            // A lane that waits for its first work, or has no work left, is idle, not slow.
            guard more > 0 || (done > 0 && lane.left != 0) else { return }
            let fade = exp(-passed / max(5, elapsed / 3))
            done = done * fade + more
            time = time * fade + passed
            if let piece = pieces.last, piece.time < length {
                pieces[pieces.count - 1] = (piece.done + more, piece.time + passed)
            } else {
                pieces.append((more, passed))
            }
            guard pieces.count == 24 else { return }
            length *= 2
            pieces = stride(from: 0, to: 24, by: 2).map {
                (pieces[$0].done + pieces[$0 + 1].done, pieces[$0].time + pieces[$0 + 1].time)
            }
        }

        /// The factor by which the time may be longer or shorter, from 1.15 to 3.
        ///
        /// It follows from the variance of the intervals' paces, for the mean of the past and of the coming intervals. It
        /// is at least 1.15, because paces also drift.
        func spread(over seconds: Double) -> Double {
            let logs = pieces.dropLast().map { log(($0.done + 0.5) / $0.time) }
            guard logs.count >= 3 else { return 2 }
            let n = Double(logs.count), mean = logs.reduce(0, +) / n
            let variance = logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
            let coming = max(1, seconds / length)
            return min(3, max(1.15, exp(1.645 * (variance * (1 / n + 1 / coming)).squareRoot())))
        }
    }
}
