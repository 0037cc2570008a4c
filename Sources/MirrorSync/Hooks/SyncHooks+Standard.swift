import Catalogue
import Foundation
import MirrorStore

extension SyncHooks {
    package static let standard: [any SyncHook] = [
        LockHook(), AdmissionHook(), RunLogHook(), OnChangeHook(), FileCollectionHook(), SearchIndexHook(),
        KeepAwakeHook(), FreeSpaceHook(),
    ]
}

/// One run per mirror at a time; the database is open as long as the lock is held, and longer where it is lent (``LentFiles``).
struct LockHook: SyncHook {
    let name = "lock"

    func before(_ context: HookContext) async throws {
        try context.folder.prepare()
        let isFresh = !context.folder.exists
        let lock = try context.takeLock(context.folder)
        let store =
            try context.lent?.store.lent()
            ?? CatalogueStore.open(at: context.folder.database, now: context.now)
        context.state.values.withLock { ($0.isFresh, $0.lock, $0.store) = (isFresh, lock, store) }
    }

    /// A first run that brought nothing leaves no empty mirror behind.
    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        defer { context.state.values.withLock { $0.lock = nil } }
        let isFresh = context.state.values.withLock { $0.isFresh }
        let isEmpty = Result {
            try isFresh && context.lent == nil && context.store.storedSingle(.partner) == nil
        }
        try context.closeStore()
        if try isEmpty.get() { try context.folder.removeEmpty() }
    }
}

/// Refuses a run that must not begin. It stands before the log: a refused command says nothing of the mirror's health.
struct AdmissionHook: SyncHook {
    let name = "admission"

    func before(_ context: HookContext) async throws { try context.admit(context.store) }
}

/// Every run has a row in `sync_log`; one that was killed is closed by the next.
struct RunLogHook: SyncHook {
    let name = "log"
    /// Changes, and so tombstones, are kept at least this long.
    static let retention: TimeInterval = 100 * 86_400

    func before(_ context: HookContext) async throws {
        let run = try context.store.beginRun(context.command)
        context.state.values.withLock { $0.run = run }
    }

    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        let errors = (summary.ownProblems + summary.problems).map {
            CatalogueStore.RunError(what: $0.what, kind: $0.kind, id: $0.id, message: $0.message)
        }
        try context.store.endRun(
            context.run, outcome: summary.outcome.rawValue,
            summary: JSONValue.object(summary.json).canonicalText,
            errors: errors)
        try context.store.add(tally: summary.counts(of: context.store.kinds))
        let limit = CatalogueStore.text(of: context.now().addingTimeInterval(-Self.retention))
        try context.store.trimHistory(olderThan: limit)
    }
}

extension SyncSummary {
    /// What is counted of a mirror for as long as it is there.
    fileprivate func counts(of kinds: Kinds) -> [String: Int] {
        var counts = WatchTally.counts(requests)
        counts[WatchTally.Name.failures.rawValue] =
            problems.count + furtherProblems + (failure == nil ? 0 : 1)
        counts[WatchTally.Name.objects.rawValue] = objects.filter { kinds[$0.key] != nil }
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

/// Removes files that nothing has referred to for 30 days, and damaged copies that were replaced; under the lock, after the
/// commit.
///
/// Not after a watch's refresh: it shares the lock with what fetches pictures meanwhile, which may just have put such a file
/// in its place again and not have said so yet. The watch's daily sync is alone.
struct FileCollectionHook: SyncHook {
    let name = "files"

    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        guard context.command != HookContext.refresh, summary.outcome != .failed,
            summary.outcome != .cancelled
        else { return }
        try context.store.settleDamaged(in: context.folder.files)
        try context.store.collectFiles(in: context.folder.files)
    }
}

/// Brings the search index up to date with what changed.
struct SearchIndexHook: SyncHook {
    let name = "search index"

    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        try context.store.updateSearchIndex()
    }
}
