import Catalogue
import Foundation
import MirrorStore

extension SyncHooks {
    package static let standard: [SyncHook] = [
        .lock, .admission, .log, .onChange, .files, .searchIndex, .keepAwake, .freeSpace,
    ]
}

extension SyncHook {
    /// Takes the run lock, so that a mirror has one run at a time, and opens the database.
    ///
    /// The database is closed before the lock is released, unless its connections are shared (``SharedConnections``). A first
    /// run that stored no partner leaves no empty mirror behind.
    static let lock = SyncHook(name: "lock") { context in
        try context.folder.prepare()
        let isFresh = !context.folder.exists
        let lock = try context.takeLock(context.folder)
        let store =
            try context.sharedConnections?.store.sharingConnections()
            ?? CatalogueStore.open(at: context.folder.database, now: context.now)
        context.state.values.withLock { ($0.isFresh, $0.lock, $0.store) = (isFresh, lock, store) }
    } after: { context, _ in
        defer { context.state.values.withLock { $0.lock = nil } }
        let isFresh = context.state.values.withLock { $0.isFresh }
        let isEmpty = Result {
            try isFresh && context.sharedConnections == nil && context.store.storedSingle(.partner) == nil
        }
        try context.state.values.withLock { $0.store.take() }?.close()
        if try isEmpty.get() { try context.folder.removeEmpty() }
    }

    /// Refuses a run that must not begin. It comes before the log, so that a refused command isn't logged as a failed run.
    static let admission = SyncHook(name: "admission") { try $0.admit($0.store) }

    /// The time for which logged changes, and so tombstones, are kept: 100 days.
    private static let retention: TimeInterval = 100 * 86_400

    /// Logs the run as a row of `sync_log`. The row of a killed run is closed by the next run.
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

    /// Removes files that no row has referred to for 30 days, and damaged copies that were replaced. Reads the sizes in pixels
    /// of files that an earlier version stored.
    ///
    /// It runs under the lock, after the commit. It doesn't run after a refresh of a watch: the refresh shares the lock with
    /// the watch's downloads, and a download may have stored such a file again whose row isn't committed yet. During a watch's
    /// daily sync there are no such downloads.
    static let files = SyncHook(
        name: "files",
        after: { context, summary in
            guard context.command != HookContext.refresh, ![.failed, .cancelled].contains(summary.outcome)
            else { return }
            try context.store.settleDamaged(in: context.folder.files)
            try context.store.collectFiles(in: context.folder.files)
            try context.store.readPixelSizes(in: context.folder.files)
        })

    /// Updates the search index with the run's changes.
    static let searchIndex = SyncHook(
        name: "search index", after: { context, _ in try context.store.updateSearchIndex() })

    /// Runs the command of `--on-change`, if anything changed.
    static let onChange = SyncHook(
        name: "on-change", belongsToRun: false,
        after: { context, summary in
            guard let command = context.onChange, summary.hasChanges else { return }
            try await command.run(Data(summary.json.canonicalBytes))
        })

    /// Prevents the machine from going to sleep while the tree runs.
    static let keepAwake = SyncHook(name: "keep awake") { context in
        let release = context.keepAwake?.begin("\(context.command) of \(context.partner)")
        context.state.values.withLock { $0.release = release }
    } after: { context, _ in
        context.state.values.withLock { $0.release.take() }?()
    }

    /// Refuses to begin on a disk that is almost full. Whether the downloads fit is checked later, when their size is known.
    static let freeSpace = SyncHook(name: "free space") {
        try $0.freeSpace.checkMinimum(at: $0.folder.path)
    }
}

extension SyncSummary {
    /// The run's contribution to the mirror's lifetime counts.
    fileprivate func counts(of kinds: Kinds) -> [String: Int] {
        var counts = WatchTally.counts(requests)
        counts[WatchTally.Name.failures.rawValue] =
            problems.count + furtherProblems + (failure == nil ? 0 : 1)
        counts[WatchTally.Name.objects.rawValue] = objects.filter { kinds[$0.key] != nil }
            .values.reduce(0) { $0 + $1.created + $1.updated + $1.deleted }
        return counts
    }

    /// The problems of the run as a whole; those of single objects are in `problems`.
    fileprivate var ownProblems: [Problem] {
        var problems: [Problem] = []
        if outcome == .failed, let failure {
            problems.append(Problem(what: "run", kind: nil, id: nil, message: failure))
        }
        problems += guarded.map {
            Problem(
                what: "guard", kind: $0.name, id: nil,
                message:
                    "\($0.deletions) of \($0.stored) \($0.noun) would have been removed. The delete guard prevented that."
            )
        }
        return problems + ProblemList.remarks(on: furtherProblems)
    }
}
