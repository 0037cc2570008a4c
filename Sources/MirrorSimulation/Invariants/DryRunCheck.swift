import MirrorSync

/// Part of invariant 8: if a dry run's prediction is exact, a sync then does the same.
struct DryRunCheck {
    let predicted: SyncSummary
    let actual: SyncSummary

    func violations() -> [Violation] {
        guard let plan = predicted.plan else {
            return [
                Violation(
                    .unchangedWritesNothing, "A dry run had no plan: \(predicted.failure ?? "no reason").")
            ]
        }
        guard plan.isExact, actual.outcome == .complete else { return [] }
        var found: [String] = []
        for kind in Set(predicted.objects.keys).union(actual.objects.keys).sorted()
        where !["image", "document"].contains(kind) {
            let predictedCounts = predicted.objects[kind] ?? .zero,
                actualCounts = actual.objects[kind] ?? .zero
            if predictedCounts != actualCounts {
                found.append("\(kind)s: \(predictedCounts) foretold, \(actualCounts) done")
            }
        }
        if plan.hasChanges != actual.hasChanges {
            found.append("changes: \(plan.hasChanges) foretold, \(actual.hasChanges) done")
        }
        return found.map { Violation(.unchangedWritesNothing, $0) }
    }
}
