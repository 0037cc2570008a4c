import Catalogue
import MirrorStore

/// What a sync would do of shows that ended, as far as what is stored tells.
struct PlannedPruning: Sendable {
    /// Those that would go, in order.
    private(set) var ids: [String] = []
    /// How many that went before would come back.
    private let returning: Int
    /// Whether shows are kept for some time only.
    private let prunes: Bool

    /// - Parameters:
    ///   - deletions: what would be swept goes by that.
    ///   - confirmed: shows that will have been looked at by then and found as they are.
    ///   - isNewOrigin: then nothing is removed.
    init(
        _ environment: SyncEnvironment, beside deletions: PlannedDeletions, confirmed: Set<String>,
        isNewOrigin: Bool
    ) throws {
        let limit = try Pruning(environment: environment).limit()
        let planned = try environment.store.planPruning(endedBefore: limit, confirmed: confirmed)
        returning = planned.returning
        prunes = limit != nil
        guard !isNewOrigin else { return }
        let swept = Set(deletions.ids.first { $0.kind == .show }?.ids ?? [])
        ids = planned.ids.filter { !swept.contains($0) }
    }

    var hasChanges: Bool { !ids.isEmpty || returning > 0 }

    /// Whether it depends on what shows that are still to come say of their ends.
    func isOpen(_ tally: PlanTally) -> Bool {
        let shows = tally.changes[.show]
        return returning > 0 || prunes && (shows?.created ?? 0) + (shows?.updated ?? 0) > 0
    }
}
