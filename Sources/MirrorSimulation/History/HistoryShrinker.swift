/// Shrinks a failing history: leaves something out, runs it again, and keeps the shortest that still fails.
///
/// As deterministic as the histories are. The number of runs is limited; the shortest history that was found by then is
/// the result.
package struct HistoryShrinker: Sendable {
    /// The maximum number of histories that are tried.
    package var limit = 250
    package var steps = Int.max
    package var injectedBug: InjectedBug?

    package init(steps: Int = .max, injectedBug: InjectedBug? = nil) {
        self.steps = steps
        self.injectedBug = injectedBug
    }

    package struct Finding: Sendable, Codable {
        package let seed: UInt64
        /// The violation in the original history.
        package let violation: Violation
        /// The transcript and the violations of the shortest history that still fails. If none fails again, the lines of
        /// the original history.
        package let lines: [String]
        package let actions: Int
        package let tried: Int
    }

    /// Finds the shortest history in which the same invariant is violated.
    ///
    /// - Parameters:
    ///   - violation: the violation of the original history.
    ///   - lines: the transcript of the original history.
    package func shortest(
        of plan: HistoryPlan, _ violation: Violation, seen lines: [String] = [],
        in workspace: HistoryWorkspace
    ) async throws -> Finding {
        var plan = plan, tried = 0, isShorter = true
        while isShorter, tried < limit {
            isShorter = false
            for candidate in plan.simplified() where tried < limit {
                tried += 1
                guard try await fails(candidate, violation.invariant, in: workspace) else { continue }
                plan = candidate
                isShorter = true
                break
            }
        }
        var history = History(plan, keepsTranscript: true)
        (history.steps, history.injectedBug) = (steps, injectedBug)
        let last = try await history.run(in: workspace)
        return Finding(
            seed: plan.seed, violation: violation,
            lines: last.violations.isEmpty ? lines + [Self.passedOnRerun] : last.lines,
            actions: plan.count, tried: tried)
    }

    private static let passedOnRerun =
        "The history passes when it is run again: the failure depends on more than the seed, such as the load of the machine."

    private func fails(_ plan: HistoryPlan, _ invariant: Invariant, in workspace: HistoryWorkspace)
        async throws -> Bool
    {
        var history = History(plan)
        (history.steps, history.injectedBug) = (steps, injectedBug)
        return try await history.run(in: workspace).violations.contains { $0.invariant == invariant }
    }
}
