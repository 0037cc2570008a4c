import MirrorSync

/// Invariants 11 and 13, of a sync that was paused: that it is paused, cancelled or resumed is what is said of it.
struct PauseCheck {
    /// Requests that came while it was paused and nothing of it was under way.
    var requests = 0
    /// Whether it was still at rest before it was resumed, cancelled or killed.
    var isAtRest = true

    /// What must hold until it is resumed.
    func violations() -> [Violation] {
        var found: [String] = []
        if requests > 0 { found.append("A paused sync sent \(requests) requests.") }
        if !isAtRest { found.append("A paused sync went on before it was resumed.") }
        return found.map { Violation(.reportsAreAccurate, $0) }
    }

    /// What must hold of a sync that was cancelled while it was paused.
    ///
    /// - Parameters:
    ///   - logged: the outcome of the last run in the log.
    ///   - isUnlocked: whether another run could begin.
    static func violations(
        afterCancelling outcome: SyncSummary.Outcome, logged: String?, isUnlocked: Bool
    ) -> [Violation] {
        var found: [Violation] = []
        if outcome != .cancelled {
            found.append(
                Violation(
                    .reportsAreAccurate,
                    "A sync that was cancelled while it was paused was \(outcome.rawValue)."
                ))
        }
        if logged != outcome.rawValue {
            found.append(
                Violation(
                    .reportsAreAccurate,
                    "A sync that was cancelled while it was paused ended \(outcome.rawValue), and the log says \(logged ?? "nothing")."
                ))
        }
        if !isUnlocked {
            found.append(
                Violation(
                    .oneRunAtATime, "A sync that was cancelled while it was paused left the lock behind."))
        }
        return found
    }
}

/// Invariant 13, of one round of a watch, or of its start: it does nothing while somebody has it paused, and goes on when that
/// is over.
struct WatchPauseCheck {
    /// Whether somebody had it paused when the round began.
    let isPaused: Bool
    /// Whether it has to do something: it was paused in the round before, or is about to begin.
    let mustProgress: Bool
    /// Requests that it sent.
    let requests: Int
    /// What it reported.
    let lines: [String]

    func violations() -> [Violation] {
        var found: [String] = []
        if isPaused {
            if requests > 0 { found.append("A paused watch sent \(requests) requests.") }
            let others = lines.filter { !$0.hasPrefix("paused ") }
            if !others.isEmpty { found.append("A paused watch reported \(others).") }
        } else if mustProgress, requests == 0, lines.allSatisfy({ $0 == "resumed" }) {
            // One whose server asked it to wait reports that.
            found.append("A watch that is not paused any more did nothing.")
        }
        return found.map { Violation(.reportsAreAccurate, $0) }
    }
}
