import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Many histories, and of those that don't hold the shortest that still don't: what one process of `mirror-bench torture` does.
package struct Torture: Sendable {
    package let batch: HistoryBatch
    /// So many findings are made shorter; of more, only the first violation is told.
    package var shrinkLimit = 3

    /// What becomes of a part, as it goes on.
    package enum Event: Sendable, Codable {
        /// So many histories and steps have ended, of which so many don't hold.
        case progress(histories: Int, failures: Int)
        case finding(HistoryShrinker.Finding)
        case ended(Outcome)
    }

    package struct Outcome: Sendable, Codable {
        package var report = HistoryBatch.Report()
        /// Of the processor, without what was spent on making findings shorter.
        package var seconds = 0.0

        package init() {}

        package mutating func add(_ other: Outcome) {
            report.add(other.report)
            seconds += other.seconds
        }
    }

    package init(seeds: ClosedRange<UInt64>, stride: Int = 1, steps: Int = .max) {
        var batch = HistoryBatch(seeds: seeds, stride: stride)
        batch.steps = steps
        self.batch = batch
    }

    /// - Parameter tell: called with all of it in order; ``News/ended(_:)`` comes last.
    /// - Throws: what the file system says; `CancellationError`.
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
            of: HistoryPlan(seed: verdict.seed), first, seen: verdict.lines, in: workspace)
    }

    /// What this process has had of the processors so far.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
