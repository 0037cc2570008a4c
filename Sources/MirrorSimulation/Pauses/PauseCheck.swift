import MirrorSync

/// Invariants 11 and 13, of a paused sync: it waits, is cancelled or resumed as reported, and releases its lock.
struct PauseCheck {
    /// The number of requests that were sent while it was paused and idle.
    var requests = 0
    /// Whether it was still idle just before it was resumed, cancelled or killed.
    var isAtRest = true

    /// Violations during the pause.
    func violations() -> [Violation] {
        var found: [String] = []
        if requests > 0 { found.append("A paused sync sent \(requests) requests.") }
        if !isAtRest { found.append("A paused sync continued before it was resumed.") }
        return found.map { Violation(.reportsAreAccurate, $0) }
    }

    /// Violations of a sync that was cancelled while it was paused.
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

/// Invariant 13, of one round of a watch, or of its start: a paused watch does nothing, and it continues when it is
/// resumed.
struct WatchPauseCheck {
    /// Whether the watch was paused when the round began.
    let isPaused: Bool
    /// Whether the round has to do something, as the watch was paused before it, or is about to begin.
    let mustProgress: Bool
    /// The number of requests that it sent.
    let requests: Int
    /// The lines that it reported.
    let lines: [String]

    func violations() -> [Violation] {
        var found: [String] = []
        if isPaused {
            if requests > 0 { found.append("A paused watch sent \(requests) requests.") }
            let others = lines.filter { !$0.hasPrefix("paused ") }
            if !others.isEmpty { found.append("A paused watch reported \(others).") }
        } else if mustProgress, requests == 0, lines.allSatisfy({ $0 == "resumed" }) {
            // A watch that its server has asked to wait reports that.
            found.append("A watch that is not paused any more did nothing.")
        }
        return found.map { Violation(.reportsAreAccurate, $0) }
    }
}
