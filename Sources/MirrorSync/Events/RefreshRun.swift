import Catalogue
import MirrorStore
import PeriodicLoops

/// A run that looks at the lists of some kinds, because a feed no longer tells what changed of them.
struct RefreshRun: Sendable {
    let context: FeedContext
    let kinds: Set<Kind>
    /// As ``RefreshOrder/cursor``.
    var cursor: String?
    /// As ``RefreshOrder/failures``.
    var failures = RepeatedFailures()

    func run(_ ticket: CommitTicket) async throws -> SyncSummary {
        let setting = context.setting, began = setting.clock.now()
        var options = setting.options
        options.media = false
        options.full = false
        // The loop's own back-off waits for a server in trouble, and holds up nobody.
        options.failFast = true
        let context = context
        context.files.startOver()
        let monitor = SyncMonitor { event in
            guard case .item(let kind, let id, let action, _) = event else { return }
            if action != "deleted", let kind = Kinds.standard[kind] {
                context.files.add([Owner(kind, id)])
            }
            context.observer.handler(.item(kind: kind, id: id, action: action, bytes: nil))
        }
        var sync = setting.sync(options, lock: context.lock)
        sync.refresh = RefreshOrder(kinds: kinds, ticket: ticket, cursor: cursor, failures: failures)
        let summary = try await sync.run(monitor)
        context.tally.addStored(summary.requests)
        for problem in summary.problems { context.observer.handler(.problem(problem)) }
        // A document is told without its owner.
        try addDocuments()
        guard summary.hasCursor else { return summary }
        let changed = summary.objects.filter { $0.value.created + $0.value.updated + $0.value.deleted > 0 }
        context.tally.add(.pages)
        context.observer.handler(
            .pageApplied(
                WatchedPage(
                    loop: LoopRecord.coreID, run: summary.run, events: 0, isRefresh: true, objects: changed,
                    problems: summary.problems, duration: setting.clock.now() - began)))
        context.signals.stored(Set(changed.keys.compactMap { Kinds.standard[$0] }))
        return summary
    }

    private func addDocuments() throws {
        guard context.setting.options.media else { return }
        var owners: Set<Owner> = []
        try context.store.documentsWithoutFile { owner, _ in owners.insert(owner) }
        context.files.add(owners.sorted { $0.id < $1.id })
    }
}
