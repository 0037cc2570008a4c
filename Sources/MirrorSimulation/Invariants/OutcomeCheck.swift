import Catalogue
import MirrorStore
import MirrorSync

/// Invariant 13: how a sync says that it ended is what came of it.
struct OutcomeCheck {
    let summary: SyncSummary
    let said: Said
    /// The list that failed for the whole of the run, if it was asked for.
    var failing: Kind?
    /// Whether nothing else was wrong in the run.
    let isAlone: Bool

    func violations() -> [Violation] {
        var found: [String] = []
        if summary.outcome == .complete {
            // What a list is of may be gone by the end.
            let unusable = Kinds.standard.listed.map(PartnerCatalogue.list).filter {
                said.lists[$0]?.last?.isComplete == false
            }
            if !unusable.isEmpty {
                found.append("A sync was complete with unusable elements in \(unusable).")
            }
        }
        // Where something else was wrong, too, the list may not have been asked for in the end.
        if let failing, isAlone, ![.partial, .guarded].contains(summary.outcome) {
            let reason = summary.failure ?? summary.problems.map(\.message).joined(separator: " ")
            found.append(
                "With a list of \(failing.name)s that fails, a sync was \(summary.outcome.rawValue): \(reason)"
            )
        }
        return found.map { Violation(.outcomesAreTrue, $0) }
    }
}
