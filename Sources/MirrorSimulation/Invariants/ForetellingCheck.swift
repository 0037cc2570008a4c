import MirrorSync

/// Part of invariant 8: what a dry run says exactly is what a sync then does.
struct ForetellingCheck {
    let foretold: SyncSummary
    let done: SyncSummary

    func violations() -> [Violation] {
        guard let plan = foretold.plan else {
            return [
                Violation(
                    .unchangedWritesNothing, "A dry run had no plan: \(foretold.failure ?? "no reason").")
            ]
        }
        guard plan.isExact, done.outcome == .complete else { return [] }
        var found: [String] = []
        for kind in Set(foretold.objects.keys).union(done.objects.keys).sorted()
        where !["image", "document"].contains(kind) {
            let said = foretold.objects[kind] ?? .zero, came = done.objects[kind] ?? .zero
            if said != came { found.append("\(kind)s: \(said) foretold, \(came) done") }
        }
        if plan.hasChanges != done.hasChanges {
            found.append("changes: \(plan.hasChanges) foretold, \(done.hasChanges) done")
        }
        return found.map { Violation(.unchangedWritesNothing, $0) }
    }
}
