import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Applies the pages of one loop to the mirror: all of a page is fetched first, then stored with its cursor.
struct PageApplier: Sendable {
    let context: FeedContext
    /// The show whose feed it is; `nil` for the partner's.
    let show: String?

    init(_ context: FeedContext, show: String? = nil) {
        self.context = context
        self.show = show
    }

    var loop: LoopID { show.map(LoopRecord.showID) ?? LoopRecord.coreID }
    var kind: LoopRecord.Kind { show == nil ? .core : .show }

    /// - Parameters:
    ///   - asked: the cursor that is stored now; `nil` for none.
    ///   - cursor: up to which event the feed is covered with these changes.
    func apply(
        _ changes: PageChanges, asked: String?, cursor: String, isRefresh: Bool = false, ticket: CommitTicket
    ) async throws {
        if changes.isEmpty, asked == cursor { return }
        // If another run stored something meanwhile, the page is compared again, as long as the cursor is still the one.
        for _ in 0..<3 {
            let began = context.setting.clock.now(), newest = try context.store.newestRun()
            var changes = changes
            try changes.leaveOut(context.store.prunedETags())
            let collected = try await PageFetch(context, show: show).collect(changes)
            var page = PageCommit(
                loop: loop, kind: kind, asked: asked, newestRun: newest, cursor: cursor,
                writes: collected.writes)
            page.unsettled = collected.unsettled
            page.notFound = collected.notFound
            page.limit = context.setting.options.maxDelete
            page.hasProblems = !collected.problems.isEmpty
            if case .stored(let stored) = try store(page, changes, collected.problems, began, ticket) {
                report(stored, collected, events: changes.count, isRefresh: isRefresh, began)
                context.files.startOver()
                context.files.add(changes.owners)
                return
            }
            guard try context.store.loop(loop)?.cursor == asked else { return }
        }
    }

    private func store(
        _ page: PageCommit, _ changes: PageChanges, _ problems: [Problem], _ began: Duration,
        _ ticket: CommitTicket
    ) throws -> PageOutcome {
        let setting = context.setting
        // A cursor alone is stored beside whatever run there is; what it covers is stored already.
        let lock = page.writes.isEmpty && !page.hasProblems ? nil : try setting.lock.take(setting.folder)
        defer { withExtendedLifetime(lock) {} }
        if lock != nil { context.forgetCached(changes) }
        let unavailable = try context.store.unavailableFiles()
        return try context.store.commit(page) { stored in
            let refusals = Self.refusals(stored), problems = problems + refusals.problems
            var summary = SyncSummary(
                partner: setting.partner, outcome: problems.isEmpty ? .complete : .partial)
            summary.problems = problems
            summary.furtherProblems = refusals.further
            summary.seconds = (setting.clock.now() - began) / .seconds(1)
            summary.objects = SyncSummary.counts(stored.counts)
            summary.unavailable = unavailable
            return (JSONValue.object(summary.json).canonicalText, summary.loggedProblems)
        } check: {
            try ticket.check()
        }
    }

    // MARK: - Reports

    private func report(
        _ stored: StoredPage, _ collected: PageFetch.Collected, events: Int, isRefresh: Bool,
        _ began: Duration
    ) {
        let refusals = Self.refusals(stored)
        let problems =
            collected.problems + refusals.problems + ProblemList.remarks(on: refusals.further)
        for item in stored.items {
            context.notify(.item(kind: item.kind, id: item.id, action: item.action, bytes: nil))
        }
        for problem in problems + collected.warnings + conflicts(stored) {
            context.notify(.problem(problem))
        }
        context.setting.tally.add(.objects, stored.items.count)
        context.pageApplied(
            WatchedPage(
                loop: loop, run: stored.run, events: events, isRefresh: isRefresh,
                objects: SyncSummary.counts(stored.counts), problems: problems,
                duration: context.setting.clock.now() - began))
    }

    /// Local edits that met the server's: each was settled by its rule, and a person may want to know.
    private func conflicts(_ stored: StoredPage) -> [Problem] {
        guard let run = stored.run, stored.counts[.album] != nil else { return [] }
        do {
            return try context.store.conflicts(ChangeFilter(run: run)).reversed().map(\.problem)
        } catch {
            return [Problem(what: "conflict", kind: nil, id: nil, message: SyncEnding.message(error))]
        }
    }

    private static func refusals(_ stored: StoredPage) -> ProblemList {
        let refused = stored.refused.map { write, message in
            let (kind, id) = write.subject
            return Problem(what: "not stored", kind: kind, id: id, message: message)
        }
        return ProblemList(refused + stored.held.compactMap(\.problem))
    }
}

extension HeldList {
    /// What a person has to know of it; `nil` where what it lacks went with something else.
    var problem: Problem? {
        guard losses > 0 else { return nil }
        let noun = ["artworks", "documents"].contains(name) ? name : "pictures"
        let lacks = losses == 1 ? "1 that is stored" : "\(losses) that are stored"
        return Problem(
            what: "guard", kind: owner.kind.name, id: owner.id,
            message:
                "Its list of \(noun) does not name \(lacks), so nothing was removed. The next whole sync decides."
        )
    }
}

extension SyncSummary {
    /// What a run changed, by the kinds' names.
    static func counts(
        _ changes: [Kind: (created: Int, updated: Int, deleted: Int)]
    ) -> [String: Count] {
        changes.reduce(into: [:]) { counts, change in
            let (kind, count) = change
            counts[kind.name] = Count(created: count.created, updated: count.updated, deleted: count.deleted)
        }
    }

    /// The problems, as the log keeps them.
    var loggedProblems: [CatalogueStore.RunError] {
        (problems + ProblemList.remarks(on: furtherProblems)).map {
            CatalogueStore.RunError(what: $0.what, kind: $0.kind, id: $0.id, message: $0.message)
        }
    }
}
