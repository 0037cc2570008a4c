import Catalogue
import Foundation

/// How long a run will take: from what earlier ones took, else from this dry run's own round trips.
public struct Forecast: Sendable, Hashable {
    /// Seconds that it takes as often longer as shorter.
    public let median: Double
    /// Seconds that it stays within nine times in ten.
    public let p90: Double

    var json: JSONValue { .object(["median": .decimal(median), "p90": .decimal(p90)]) }

    /// What a run did or will do: requests, and bytes that count as requests by their time on the wire.
    struct Work: Sendable, Hashable {
        var requests: Double
        var bytes: Double
        /// How many of the requests are for pictures and documents.
        var files = 0.0

        /// A request's cost, as of so many bytes: one at 64 kB takes about twice what an empty one does.
        static let bytesOfARequest = 65_536.0
        var units: Double { requests + bytes / Self.bytesOfARequest }

        /// Whether a run that did this says how fast one will be that does the other: it had at least a tenth of the
        /// work, and files come at a pace of their own, which only runs with files tell, and which tells of no others.
        func tells(of other: Work) -> Bool {
            units * 10 >= other.units && hasFiles == other.hasFiles && files * 10 >= other.files
        }

        private var hasFiles: Bool { files * 20 > requests }
    }

    /// A run that ended.
    struct Past: Sendable, Hashable {
        let work: Work
        let seconds: Double
    }

    /// An answer of this dry run that is long enough to tell how fast bytes come.
    struct Answer: Sendable, Hashable {
        let bytes: Double
        let seconds: Double

        static let least = 65_536

        /// Bytes a second, by TCP's slow start: a connection begins with about 14 kB, and doubles that each round trip.
        func rate(trip: Double) -> Double? {
            guard seconds > 0 else { return nil }
            let start = trip * (1 + log2(1 + bytes / 14_600))
            return bytes / max(seconds - start, seconds / 10)
        }
    }

    /// What is assumed where nothing was measured: 5 MB a second, and twice as long nine times in ten.
    static let defaultRate = 5_000_000.0, defaultSpread = 2.0
    /// Reading and storing an answer, at least, in seconds.
    static let leastPerRequest = 0.000_3
    /// Runs with less work than this say more about starting than about working.
    static let leastUnits = 50.0

    /// - Parameters:
    ///   - past: earlier runs, in any order. Only those that are like what is to come have a say.
    ///   - roundTrips: of this dry run, in seconds.
    ///   - jobs: requests under way at once.
    ///   - answers: long ones of this dry run; the quickest tells how fast bytes come.
    ///   - files: how many of the requests are for pictures, and how fast some were answered just now, in seconds each.
    static func of(
        _ work: Work, past: [Past], roundTrips: [Double], jobs: Int, answers: [Answer] = [],
        files: (count: Double, pace: Double)? = nil
    ) -> Forecast {
        let large = past.filter { $0.work.units >= leastUnits && $0.work.tells(of: work) }
        let rates = large.map { $0.work.units / $0.seconds }
        // The quickest quarter: long lists take longer than what is asked for by the thousand.
        let trip = roundTrips.isEmpty ? 0.05 : roundTrips.sorted()[roundTrips.count / 4]
        // The lists come one after the other with what hangs on them: three round trips at the least.
        let least = trip * 3
        guard let rate = median(rates), rate > 0 else {
            let perRequest = max(leastPerRequest, trip / Double(max(1, jobs)))
            let slower = files.map { $0.count * max(0, $0.pace - perRequest) } ?? 0
            let byteRate = answers.compactMap { $0.rate(trip: trip) }.max() ?? defaultRate
            let seconds = least + work.requests * perRequest + work.bytes / byteRate + slower
            return Forecast(median: seconds, p90: seconds * defaultSpread)
        }
        let seconds = least + work.units / rate
        return Forecast(median: seconds, p90: seconds * spread(rates, around: rate))
    }

    /// By how much the slowest run in ten is slower: the scatter of the rates' logarithms by their median deviation,
    /// which one odd run doesn't move.
    static func spread(_ rates: [Double], around rate: Double) -> Double {
        guard rates.count > 2, let deviation = median(rates.map { abs(log($0 / rate)) }) else {
            return rates.count == 2 ? 1.6 : defaultSpread
        }
        // 1.4826 makes a standard deviation of it, 1.2816 is the normal distribution's 0.9 quantile.
        return max(1.15, exp(deviation * 1.4826 * 1.2816))
    }

    static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted(), middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension Forecast.Past {
    /// Reads the summary of a run as it was logged.
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
