/// Many histories, one after the other.
package struct HistoryBatch: Sendable {
    package let seeds: StrideThrough<UInt64>

    package struct Report: Sendable, Equatable, Codable {
        package var histories = 0
        package var syncs = 0
        package var requests = 0
        /// How many don't hold.
        package var failures = 0
        /// Stands for everything that happened in all of them: the same seeds give the same.
        package var fingerprint: UInt64 = 0

        package init() {}
    }

    /// - Parameter stride: takes each so-manieth seed.
    package init(seeds: ClosedRange<UInt64>, stride distance: Int = 1) {
        self.seeds = stride(from: seeds.lowerBound, through: seeds.upperBound, by: distance)
    }

    /// - Parameter failed: called for each history that doesn't hold, as soon as it ended.
    /// - Throws: what the file system says of the folder that they take place in.
    package func run(_ failed: (History.Verdict) -> Void = { _ in }) async throws -> Report {
        let template = try MirrorTemplate(), place = HistoryPlace(template)
        var report = Report()
        do {
            for seed in seeds {
                let verdict = try await History(seed: seed).run(at: place)
                report.add(verdict)
                if !verdict.violations.isEmpty { failed(verdict) }
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
        syncs += verdict.syncs
        requests += verdict.requests
        fingerprint &+= verdict.fingerprint &* (verdict.seed | 1)
        if !verdict.violations.isEmpty { failures += 1 }
    }

    package mutating func add(_ other: Self) {
        histories += other.histories
        syncs += other.syncs
        requests += other.requests
        fingerprint &+= other.fingerprint
        failures += other.failures
    }
}
