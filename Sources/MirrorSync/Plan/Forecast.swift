import Catalogue
import Foundation

/// A prediction of how long a run will take.
///
/// It is based on the durations of earlier runs; if there are none, on the round trips of the dry run itself.
public struct Forecast: Sendable, Hashable {
    /// The median, in seconds.
    public let median: Double
    /// The 90th percentile, in seconds.
    public let p90: Double

    var json: JSONValue { .object(["median": .decimal(median), "p90": .decimal(p90)]) }

    /// The amount of work of a run: its requests and the bytes it receives.
    struct Work: Sendable, Hashable {
        var requests: Double
        var bytes: Double
        /// The number of requests for pictures and documents.
        var files = 0.0

        /// The bytes that take as long as an empty request: a request with an answer of 64 kB takes about twice as long.
        static let bytesPerUnit = 65_536.0
        /// The work in units of an empty request.
        var units: Double { requests + bytes / Self.bytesPerUnit }

        /// Whether the speed of a run with this work predicts the speed of a run with `other`.
        ///
        /// It needs at least a tenth of the other's work. Runs that fetch files have another speed than runs that don't,
        /// so only runs of the same sort are compared.
        func tells(of other: Work) -> Bool {
            units * 10 >= other.units && hasFiles == other.hasFiles && files * 10 >= other.files
        }

        private var hasFiles: Bool { files * 20 > requests }
    }

    /// The work and the duration of an earlier run.
    struct Past: Sendable, Hashable {
        let work: Work
        let seconds: Double
    }

    /// An answer to this dry run that is large enough to measure the transfer rate.
    struct Answer: Sendable, Hashable {
        let bytes: Double
        let seconds: Double

        /// The bytes that an answer needs to be measured.
        static let minimumBytes = 65_536

        /// Bytes per second, corrected for TCP's slow start: a connection begins with about 14 kB per round trip, and doubles
        /// that with each.
        func rate(trip: Double) -> Double? {
            guard seconds > 0 else { return nil }
            let start = trip * (1 + log2(1 + bytes / 14_600))
            return bytes / max(seconds - start, seconds / 10)
        }
    }

    /// The assumptions if nothing was measured: 5 MB per second, and a 90th percentile of twice the median.
    static let defaultRate = 5_000_000.0, defaultSpread = 2.0
    /// The minimum time for reading and storing an answer, in seconds.
    static let minimumPerRequest = 0.000_3
    /// Runs with less work than this are ignored: most of their time is spent on starting.
    static let minimumUnits = 50.0

    /// Predicts the duration of a run.
    ///
    /// - Parameters:
    ///   - past: earlier runs, in any order; those that aren't comparable are ignored.
    ///   - roundTrips: the round trips of this dry run, in seconds.
    ///   - jobs: the number of requests in flight.
    ///   - answers: large answers to this dry run; the fastest one gives the transfer rate.
    ///   - files: the number of pictures to fetch, and the measured seconds per picture.
    static func of(
        _ work: Work, past: [Past], roundTrips: [Double], jobs: Int, answers: [Answer] = [],
        files: (count: Double, pace: Double)? = nil
    ) -> Forecast {
        let large = past.filter { $0.work.units >= minimumUnits && $0.work.tells(of: work) }
        let rates = large.map { $0.work.units / $0.seconds }
        // The lower quartile: the dry run's long lists take longer than the many single objects of a sync.
        let trip = roundTrips.isEmpty ? 0.05 : roundTrips.sorted()[roundTrips.count / 4]
        // The tree is at least three levels deep: partner, list, object.
        let minimum = trip * 3
        guard let rate = median(rates), rate > 0 else {
            let perRequest = max(minimumPerRequest, trip / Double(max(1, jobs)))
            let slower = files.map { $0.count * max(0, $0.pace - perRequest) } ?? 0
            let byteRate = answers.compactMap { $0.rate(trip: trip) }.max() ?? defaultRate
            let seconds = minimum + work.requests * perRequest + work.bytes / byteRate + slower
            return Forecast(median: seconds, p90: seconds * defaultSpread)
        }
        let seconds = minimum + work.units / rate
        return Forecast(median: seconds, p90: seconds * spread(rates, around: rate))
    }

    /// The ratio of the 90th percentile to the median, from the median absolute deviation of the rates' logarithms, which is
    /// robust against outliers.
    static func spread(_ rates: [Double], around rate: Double) -> Double {
        guard rates.count > 2, let deviation = median(rates.map { abs(log($0 / rate)) }) else {
            return rates.count == 2 ? 1.6 : defaultSpread
        }
        // 1.4826 converts it to a standard deviation; 1.2816 is the 0.9 quantile of the normal distribution.
        return max(1.15, exp(deviation * 1.4826 * 1.2816))
    }

    static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted(), middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension Forecast.Past {
    /// Reads the logged summary of a run; `nil` if it lacks its requests, bytes or seconds.
    init?(_ summary: JSONObject) {
        guard let requests = summary["requests"]?.objectValue?["sent"]?.numberValue?.doubleValue,
            let bytes = summary["bytes"]?.objectValue?["received"]?.numberValue?.doubleValue,
            let seconds = summary["seconds"]?.numberValue?.doubleValue, seconds > 0
        else { return nil }
        let objects = summary["objects"]?.objectValue
        let files = ["image", ImageTile.kind, "document"].reduce(0) { sum, kind in
            sum + (objects?[kind]?.objectValue?["created"]?.numberValue?.doubleValue ?? 0)
        }
        let hasMedia = summary["bytes"]?.objectValue?["media"]?.numberValue?.doubleValue ?? 0 > 0
        self.init(
            work: .init(requests: requests, bytes: bytes, files: hasMedia ? files : 0), seconds: seconds)
    }
}
