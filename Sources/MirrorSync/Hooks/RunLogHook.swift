import Catalogue
import Foundation
import MirrorStore

/// Every run has a row in `sync_log`; one that was killed is closed by the next.
struct RunLogHook: SyncHook {
    let name = "log"
    /// Changes, and so tombstones, are kept at least this long.
    static let retention: TimeInterval = 100 * 86_400

    func before(_ context: HookContext) async throws {
        context.begin(try context.store.beginRun(context.command))
    }

    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        let errors = (summary.ownProblems + summary.problems).map {
            CatalogueStore.RunError(what: $0.what, kind: $0.kind, id: $0.id, message: $0.message)
        }
        try context.store.endRun(
            context.run, outcome: summary.outcome.rawValue,
            summary: JSONValue.object(summary.json).canonicalText,
            errors: errors)
        try context.store.add(tally: summary.counts)
        let limit = CatalogueStore.text(of: context.now().addingTimeInterval(-Self.retention))
        try context.store.trimHistory(olderThan: limit)
    }
}

extension SyncSummary {
    /// What is counted of a mirror for as long as it is there.
    fileprivate var counts: [String: Int] {
        var counts = WatchTally.counts(requests)
        counts[WatchTally.Name.failures.rawValue] =
            problems.count + furtherProblems + (failure == nil ? 0 : 1)
        counts[WatchTally.Name.objects.rawValue] = objects.filter { Kinds.standard[$0.key] != nil }
            .values.reduce(0) { $0 + $1.created + $1.updated + $1.deleted }
        return counts
    }

    /// What went wrong with the run as a whole, beside the problems of single objects.
    fileprivate var ownProblems: [Problem] {
        var problems: [Problem] = []
        if outcome == .failed, let failure {
            problems.append(Problem(what: "run", kind: nil, id: nil, message: failure))
        }
        problems += guarded.map {
            Problem(
                what: "guard", kind: $0.name, id: nil,
                message:
                    "\($0.deletions) of \($0.held) \($0.noun) would have been removed, which the delete guard did not allow."
            )
        }
        return problems + ProblemList.remarks(on: furtherProblems)
    }
}
