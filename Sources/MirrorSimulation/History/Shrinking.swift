/// Makes of a history that doesn't hold the shortest that still doesn't: leaves something out, and runs it again.
///
/// Deterministic as far as histories are, and bounded: after so many runs, the shortest by then is taken.
package struct Shrinking: Sendable {
    /// Histories that are tried at most.
    package var limit = 250
    package var steps = Int.max
    package var sabotage: Sabotage?

    package init(steps: Int = .max, sabotage: Sabotage? = nil) {
        self.steps = steps
        self.sabotage = sabotage
    }

    package struct Finding: Sendable, Codable {
        package let seed: UInt64
        /// What didn't hold in the history as it was drawn.
        package let violation: Violation
        /// What happens in the shortest that still doesn't hold, and what is seen then; in the history as it was drawn, where
        /// all hold when they are run again.
        package let lines: [String]
        package let moves: Int
        package let tried: Int
    }

    /// - Parameters:
    ///   - violation: what has to be found again: of that invariant.
    ///   - lines: what happened when it was found.
    package func shortest(
        of plan: HistoryPlan, _ violation: Violation, seen lines: [String] = [], at place: HistoryPlace
    ) async throws -> Finding {
        var plan = plan, tried = 0, isShorter = true
        while isShorter, tried < limit {
            isShorter = false
            for candidate in plan.shorter() where tried < limit {
                tried += 1
                guard try await fails(candidate, violation.invariant, at: place) else { continue }
                plan = candidate
                isShorter = true
                break
            }
        }
        var history = History(plan, keepsTranscript: true)
        (history.steps, history.sabotage) = (steps, sabotage)
        let last = try await history.run(at: place)
        return Finding(
            seed: plan.seed, violation: violation,
            lines: last.violations.isEmpty ? lines + [Self.heldAgain] : last.lines,
            moves: plan.moves.count, tried: tried)
    }

    private static let heldAgain =
        "Run again, it holds: what didn't depends on more than the seed, such as how busy the machine is."

    private func fails(_ plan: HistoryPlan, _ invariant: Invariant, at place: HistoryPlace)
        async throws -> Bool
    {
        var history = History(plan)
        (history.steps, history.sabotage) = (steps, sabotage)
        return try await history.run(at: place).violations.contains { $0.invariant == invariant }
    }
}
