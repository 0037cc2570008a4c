import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One process of `mirror-bench torture`: runs many histories and shrinks those that fail.
package struct Torture: Sendable {
    package let batch: HistoryBatch
    /// The number of failing histories that are shrunk. Of all others, only the first violation is reported.
    package var shrinkLimit = 3

    /// A report to the parent process.
    package enum Event: Sendable, Codable {
        /// The numbers of histories that have ended, and of those that failed.
        case progress(histories: Int, failures: Int)
        case finding(HistoryShrinker.Finding)
        case ended(Outcome)
    }

    package struct Outcome: Sendable, Codable {
        package var report = HistoryBatch.Report()
        /// Processor time, without the time for shrinking.
        package var seconds = 0.0

        package init() {}

        package mutating func add(_ other: Outcome) {
            report.add(other.report)
            seconds += other.seconds
        }
    }

    package init(seeds: ClosedRange<UInt64>, stride: Int = 1, steps: Int = .max) {
        var batch = HistoryBatch(seeds: seeds, stride: stride, profile: HistoryProfile.ofTorture)
        batch.steps = steps
        self.batch = batch
    }

    /// Runs the histories.
    ///
    /// - Parameter report: called with all events in order; ``Event/ended(_:)`` is the last.
    /// - Throws: an error of the file system, or `CancellationError`.
    package func run(_ report: (Event) throws -> Void) async throws {
        var outcome = Outcome(), histories = 0, failures = 0
        var began = Self.processorSeconds
        outcome.report = try await batch.run { verdict, workspace in
            try Task.checkCancellation()
            histories += 1
            if let first = verdict.violations.first {
                failures += 1
                let since = Self.processorSeconds
                try report(
                    .finding(
                        try await finding(verdict, first, isShortened: failures <= shrinkLimit, workspace)))
                began += Self.processorSeconds - since
            }
            try report(.progress(histories: histories, failures: failures))
            return true
        }
        outcome.seconds = Self.processorSeconds - began
        try report(.ended(outcome))
    }

    private func finding(
        _ verdict: History.Verdict, _ first: Violation, isShortened: Bool, _ workspace: HistoryWorkspace
    ) async throws -> HistoryShrinker.Finding {
        guard isShortened else {
            return HistoryShrinker.Finding(
                seed: verdict.seed, violation: first, lines: [], actions: 0, tried: 0)
        }
        return try await HistoryShrinker(steps: batch.steps).shortest(
            of: HistoryPlan(seed: verdict.seed, profile: batch.profile(verdict.seed)), first,
            seen: verdict.lines, in: workspace)
    }

    /// The processor time of this process.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
