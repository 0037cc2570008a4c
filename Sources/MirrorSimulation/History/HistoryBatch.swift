/// Runs many histories, one after the other.
package struct HistoryBatch: Sendable {
    package let seeds: StrideThrough<UInt64>
    /// The profile of a seed.
    package let profile: @Sendable (UInt64) -> HistoryProfile
    package var steps = Int.max
    package var injectedBug: InjectedBug?

    package struct Report: Sendable, Equatable, Codable {
        package var histories = 0
        package var counts = HistoryCounts()
        package var requests = 0
        package var steps = 0
        /// The number of histories that violate an invariant.
        package var failures = 0
        /// The sum of all transcripts' fingerprints: the same seeds give the same value.
        package var fingerprint: UInt64 = 0

        package init() {}
    }

    /// - Parameter stride: the distance between two seeds that are run.
    package init(
        seeds: ClosedRange<UInt64>, stride distance: Int = 1, profile: HistoryProfile = .torture
    ) {
        self.init(seeds: seeds, stride: distance) { _ in profile }
    }

    /// - Parameters:
    ///   - distance: the distance between two seeds that are run.
    ///   - profile: returns the profile of a seed.
    package init(
        seeds: ClosedRange<UInt64>, stride distance: Int,
        profile: @escaping @Sendable (UInt64) -> HistoryProfile
    ) {
        self.profile = profile
        self.seeds = stride(from: seeds.lowerBound, through: seeds.upperBound, by: distance)
    }

    /// Runs the histories.
    ///
    /// - Parameter ended: called as soon as a history has ended, with the workspace that it used. If it returns `false`,
    ///   no other history is run.
    /// - Throws: an error of the file system, from the folder of the workspace.
    package func run(
        _ ended: (History.Verdict, HistoryWorkspace) async throws -> Bool = { _, _ in true }
    ) async throws -> Report {
        let template = try MirrorTemplate(), workspace = HistoryWorkspace(template)
        var report = Report()
        do {
            for seed in seeds {
                // A failure may not happen again when the same seed is run again. Then this transcript is the only record
                // of it.
                var history = History(seed: seed, profile: profile(seed), keepsTranscript: true)
                (history.steps, history.injectedBug) = (steps, injectedBug)
                let verdict = try await history.run(in: workspace)
                report.add(verdict)
                guard try await ended(verdict, workspace) else { break }
            }
            try workspace.close()
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
