import Catalogue
import MirrorStore
import MirrorSync

/// Invariant 13: the outcome that a sync reports is what happened.
struct OutcomeCheck {
    let summary: SyncSummary
    let serverTranscript: ServerTranscript
    /// The kind whose list failed for the whole run, if that list was requested.
    var failing: Kind?
    /// Whether nothing else was wrong in the run.
    let hasNoOtherFault: Bool

    func violations() -> [Violation] {
        var found: [String] = []
        if summary.outcome == .complete {
            // Only the partner's own lists: the owner of a membership list may be deleted by the end of the run.
            let unusable = Kinds.standard.listed.map(PartnerCatalogue.list).filter {
                serverTranscript.lists[$0]?.last?.isComplete == false
            }
            if !unusable.isEmpty {
                found.append("A sync was complete with unusable elements in \(unusable).")
            }
        }
        // If something else was wrong, too, the run may have ended before it requested the list.
        if let failing, hasNoOtherFault, ![.partial, .guarded].contains(summary.outcome) {
            let reason = summary.failure ?? summary.problems.map(\.message).joined(separator: " ")
            found.append(
                "With a list of \(failing.name)s that fails, a sync was \(summary.outcome.rawValue): \(reason)"
            )
        }
        return found.map { Violation(.reportsAreAccurate, $0) }
    }
}
