/// Many histories, one after the other.
package struct HistoryBatch: Sendable {
    package let seeds: StrideThrough<UInt64>
    package let profile: HistoryProfile
    package var steps = Int.max
    package var sabotage: Sabotage?

    package struct Report: Sendable, Equatable, Codable {
        package var histories = 0
        package var counts = HistoryCounts()
        package var requests = 0
        package var steps = 0
        /// How many don't hold.
        package var failures = 0
        /// Stands for everything that happened in all of them: the same seeds give the same.
        package var fingerprint: UInt64 = 0

        package init() {}
    }

    /// - Parameter stride: takes each so-manieth seed.
    package init(
        seeds: ClosedRange<UInt64>, stride distance: Int = 1, profile: HistoryProfile = .torture
    ) {
        self.profile = profile
        self.seeds = stride(from: seeds.lowerBound, through: seeds.upperBound, by: distance)
    }

    /// - Parameter ended: called for each history, as soon as it ended, with where it took place; where it returns `false`,
    ///   that was the last.
    /// - Throws: what the file system says of the folder that they take place in.
    package func run(
        _ ended: (History.Verdict, HistoryPlace) async throws -> Bool = { _, _ in true }
    ) async throws -> Report {
        let template = try MirrorTemplate(), place = HistoryPlace(template)
        var report = Report()
        do {
            for seed in seeds {
                // What doesn't hold may hold when it is run again: then only this transcript tells of it.
                var history = History(seed: seed, profile: profile, keepsTranscript: true)
                (history.steps, history.sabotage) = (steps, sabotage)
                let verdict = try await history.run(at: place)
                report.add(verdict)
                guard try await ended(verdict, place) else { break }
            }
            try place.close()
        } catch {
            try? template.remove()
            throw error
        }
        try template.remove()
        return report
    }
}

extension HistoryBatch.Report {
    fileprivate mutating func add(_ verdict: History.Verdict) {
        histories += 1
        counts.add(verdict.counts)
        requests += verdict.requests
        steps += verdict.steps
        fingerprint &+= verdict.fingerprint &* (verdict.seed | 1)
        if !verdict.violations.isEmpty { failures += 1 }
    }

    package mutating func add(_ other: Self) {
        histories += other.histories
        counts.add(other.counts)
        requests += other.requests
        steps += other.steps
        fingerprint &+= other.fingerprint
        failures += other.failures
    }
}
