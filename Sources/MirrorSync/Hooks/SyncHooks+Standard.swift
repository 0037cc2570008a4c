import Catalogue
import Foundation
import MirrorStore

extension SyncHooks {
    package static let standard: [SyncHook] = [
        .lock, .admission, .log, .onChange, .files, .searchIndex, .keepAwake, .freeSpace,
    ]
}

extension SyncHook {
    /// One run per mirror at a time; the database is open as long as the lock is held, and longer where it is lent
    /// (``SharedConnections``). A first run that brought nothing leaves no empty mirror behind.
    static let lock = SyncHook(name: "lock") { context in
        try context.folder.prepare()
        let isFresh = !context.folder.exists
        let lock = try context.takeLock(context.folder)
        let store =
            try context.lent?.store.lent()
            ?? CatalogueStore.open(at: context.folder.database, now: context.now)
        context.state.values.withLock { ($0.isFresh, $0.lock, $0.store) = (isFresh, lock, store) }
    } after: { context, _ in
        defer { context.state.values.withLock { $0.lock = nil } }
        let isFresh = context.state.values.withLock { $0.isFresh }
        let isEmpty = Result {
            try isFresh && context.lent == nil && context.store.storedSingle(.partner) == nil
        }
        try context.state.values.withLock { $0.store.take() }?.close()
        if try isEmpty.get() { try context.folder.removeEmpty() }
    }

    /// Refuses a run that must not begin. It stands before the log: a refused command says nothing of the mirror's health.
    static let admission = SyncHook(name: "admission") { try $0.admit($0.store) }

    /// Changes, and so tombstones, are kept at least this long.
    private static let retention: TimeInterval = 100 * 86_400

    /// Every run has a row in `sync_log`; one that was killed is closed by the next.
    static let log = SyncHook(name: "log") { context in
        let run = try context.store.beginRun(context.command)
        context.state.values.withLock { $0.run = run }
    } after: { context, summary in
        let store = try context.store
        try store.endRun(
            context.run, outcome: summary.outcome.rawValue,
            summary: summary.json.canonicalText,
            errors: (summary.ownProblems + summary.problems).map(\.runError))
        try store.add(tally: summary.counts(of: store.kinds))
        try store.trimHistory(
            olderThan: CatalogueStore.text(of: context.now().addingTimeInterval(-retention)))
    }

    /// Removes files that nothing has referred to for 30 days, and damaged copies that were replaced; under the lock, after
    /// the commit.
    ///
    /// Not after a watch's refresh: it shares the lock with what fetches pictures meanwhile, which may just have put such a
    /// file in its place again and not have said so yet. The watch's daily sync is alone.
    static let files = SyncHook(
        name: "files",
        after: { context, summary in
            guard context.command != HookContext.refresh, ![.failed, .cancelled].contains(summary.outcome)
            else { return }
            try context.store.settleDamaged(in: context.folder.files)
            try context.store.collectFiles(in: context.folder.files)
        })

    /// Brings the search index up to date with what changed.
    static let searchIndex = SyncHook(
        name: "search index", after: { context, _ in try context.store.updateSearchIndex() })

    /// Runs a person's command.
    static let onChange = SyncHook(
        name: "on-change", belongsToRun: false,
        after: { context, summary in
            guard let command = context.onChange, summary.hasChanges else { return }
            try await command.run(Data(summary.json.canonicalBytes))
        })

    /// The machine stays awake from before the tree to after it.
    static let keepAwake = SyncHook(name: "keep awake") { context in
        let release = context.keepAwake?.begin("\(context.command) of \(context.partner)")
        context.state.values.withLock { $0.release = release }
    } after: { context, _ in
        context.state.values.withLock { $0.release.take() }?()
    }

    /// Refuses to begin on a disk that is all but full. Whether what is to come fits is asked when that is known.
    static let freeSpace = SyncHook(name: "free space") {
        try $0.freeSpace.checkLeast(at: $0.folder.path)
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
