import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops
import Synchronization

/// The loop over the partner's own feed, which reports all kinds. It also enables and disables the loops of shows.
final class PartnerLoop: CoreLoop, FeedLoop {
    let context: FeedContext
    let show: String? = nil
    private let link = CoreLoopDelegateLink()
    /// Held while the loops of shows are enabled and disabled.
    let showLoopsLock = Mutex<Void>(())

    init(_ context: FeedContext) { self.context = context }

    var refreshableKinds: RefreshMask { context.store.kinds.refreshMask }

    var delegate: (any CoreLoopDelegate)? {
        get { link.delegate }
        set { link.delegate = newValue }
    }

    func feedEnded(_ message: String) { context.follower?.pollInstead() }

    // MARK: - Refresh

    /// Runs a sync over the lists of these kinds; files are downloaded afterwards.
    ///
    /// For a refresh of all kinds, the feed's latest cursor is requested before the first list, and stored when all lists are
    /// complete. For a refresh of some kinds, the page that asked for it is applied as well, because it and the following
    /// pages report changes of the other kinds. The lists are newer than that page, and this mirror may have deleted an album
    /// that the page names.
    func refresh(_ kinds: RefreshMask, answer: FeedPage?, ticket: CommitTicket) async throws {
        let rest = kinds == .everything ? nil : answer
        let listed = context.store.kinds.named(by: kinds)
        let summary = try await list(listed, cursor: rest?.asked, ticket)
        // A request that was abandoned in this refresh stays abandoned in the next ones, until a sync sends it again.
        context.failures.withLock {
            $0 = summary.hasCursor ? summary.failures.keepingAbandoned() : summary.failures
        }
        try ticket.check()
        if !summary.guarded.isEmpty { throw GuardObjection(intents: summary.guarded) }
        if summary.hasCursor {
            if let rest { try await process(rest, after: listed.subtracting(summary.lacking), ticket) }
            return
        }
        if summary.outcome == .cancelled { throw CancellationError() }
        throw summary.cause ?? summary.obstacle
            ?? SyncError(.badAnswer, "The refresh failed. It is tried again later.")
    }

    /// Applies the page that asked for a refresh of some kinds.
    ///
    /// - Parameter listed: the kinds whose lists are newer than the page.
    private func process(_ page: FeedPage, after listed: Set<Kind>, _ ticket: CommitTicket) async throws {
        let store = context.store
        var changes = PageChanges(page, store.kinds)
        for kind in listed {
            try changes.leaveOut(
                kind, unlisted: { try store.unlisted(kind, among: $0) },
                listed: { try store.listed(kind, among: $0) })
        }
        try await apply(changes, asked: page.asked, cursor: page.answer.eventID, ticket: ticket)
    }

    /// Runs a sync that requests only the lists of these kinds, because the feed can't report their changes.
    ///
    /// - Parameter cursor: as ``RefreshOrder/cursor``.
    private func list(
        _ kinds: Set<Kind>, cursor: String?, _ ticket: CommitTicket
    ) async throws -> SyncSummary {
        let context = context, setting = context.setting, began = setting.clock.now()
        var options = setting.objectOptions
        // If the server fails, the loop's back-off waits for it, and doesn't delay the other loops.
        options.failFast = true
        context.files.startOver()
        let monitor = SyncMonitor { event in
            guard case .item(let kind, let id, let action, _) = event else { return }
            if action != "deleted", let kind = context.store.kinds[kind] {
                context.files.add([Owner(kind, id)])
            }
            context.notify(.item(kind: kind, id: id, action: action, bytes: nil))
        }
        var sync = setting.sync(options)
        sync.refresh = RefreshOrder(
            kinds: kinds, ticket: ticket, cursor: cursor, failures: context.failures.withLock { $0 })
        let summary = try await sync.run(monitor)
        setting.tally.addStored(summary.requests)
        for problem in summary.problems { context.notify(.problem(problem)) }
        try addDocuments()
        guard summary.hasCursor else { return summary }
        let changed = summary.objects.filter { $0.value.created + $0.value.updated + $0.value.deleted > 0 }
        context.pageApplied(
            WatchedPage(
                loop: loopID, run: summary.run, events: 0, isRefresh: true, objects: changed,
                problems: summary.problems, duration: setting.clock.now() - began))
        return summary
    }

    /// Adds the owners of documents that have no file yet. The monitor reports a document without its owner.
    private func addDocuments() throws {
        guard context.setting.options.media else { return }
        var owners: Set<Owner> = []
        try context.store.documentsWithoutFile { owner, _ in owners.insert(owner) }
        context.files.add(owners.sorted { $0.id < $1.id })
    }
}
