import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Applies pages to the mirror, for every loop alike: all of a page is fetched first, then stored with its cursor.
struct PageWork: Sendable {
    let context: FeedContext
    let loop: LoopID
    let kind: LoopRecord.Kind

    private var setting: WatchSetting { context.setting }

    /// - Parameters:
    ///   - asked: the cursor that is stored now; `nil` for none.
    ///   - cursor: up to which event the feed is covered with these changes.
    func apply(
        _ changes: PageChanges, asked: String?, cursor: String, isRefresh: Bool = false, ticket: CommitTicket
    ) async throws {
        if changes.isEmpty, asked == cursor { return }
        // What somebody else stored meanwhile is compared with anew, as long as the cursor is still the one.
        for _ in 0..<3 {
            if try await isStored(changes, asked, cursor, isRefresh, ticket) { return }
            guard try context.store.loop(loop)?.cursor == asked else { return }
        }
    }

    private func isStored(
        _ changes: PageChanges, _ asked: String?, _ cursor: String, _ isRefresh: Bool, _ ticket: CommitTicket
    ) async throws -> Bool {
        let began = setting.clock.now()
        let newest = try context.store.newestRun()
        var changes = changes
        try changes.leaveOut(context.store.prunedETags())
        let collected = try await collect(changes)
        var page = PageCommit(
            loop: loop, kind: kind, asked: asked, newestRun: newest, cursor: cursor, writes: collected.writes)
        page.unsettled = collected.unsettled
        page.notFound = collected.notFound
        page.limit = setting.options.maxDelete
        page.hasProblems = !collected.problems.isEmpty
        switch try store(page, changes, collected.problems, began, ticket) {
        case .superseded: return false
        case .stored(let stored):
            tell(stored, collected, events: changes.count, isRefresh: isRefresh, began)
            context.files.startOver()
            context.files.add(changes.owners)
            return true
        }
    }

    private func store(
        _ page: PageCommit, _ changes: PageChanges, _ problems: [Problem], _ began: Duration,
        _ ticket: CommitTicket
    ) throws -> PageOutcome {
        // A cursor alone is stored beside whatever run there is; what it covers is here already.
        let lock = page.writes.isEmpty && !page.hasProblems ? nil : try context.lock.take(setting.folder)
        defer { withExtendedLifetime(lock) {} }
        if lock != nil { context.forgetCached(changes) }
        let unavailable = try context.store.unavailableFiles()
        return try context.store.commit(page) { stored in
            let refusals = Self.refusals(stored)
            let problems = problems + refusals.problems
            let logged = problems + ProblemList.remarks(on: refusals.further)
            return (
                report(stored, problems, refusals.further, unavailable, began), logged.map(Self.logged)
            )
        } check: {
            try ticket.check()
        }
    }

    private func collect(_ changes: PageChanges) async throws -> PageFetch.Collected {
        guard !changes.isEmpty else { return PageFetch.Collected() }
        var options = setting.options
        options.media = false
        options.full = false
        let collector = WriteCollector()
        let feed = LoopRecord.show(ofLoop: loop).map { context.router.latestShowEvent(show: $0) }
        let path = (feed ?? context.router.latestEvent()).path.dropLast("/latest".count)
        return try await PageFetch(
            environment: context.environment(collector, options), collector: collector,
            feed: String(path)
        ).collect(changes)
    }

    // MARK: - What is said of it

    private func report(
        _ stored: StoredPage, _ problems: [Problem], _ furtherProblems: Int,
        _ unavailable: UnavailableFiles, _ began: Duration
    ) -> String {
        var summary = SyncSummary(partner: setting.partner, outcome: problems.isEmpty ? .complete : .partial)
        summary.problems = problems
        summary.furtherProblems = furtherProblems
        summary.seconds = (setting.clock.now() - began) / .seconds(1)
        summary.objects = Self.counts(stored)
        summary.unavailable = unavailable
        return JSONValue.object(summary.json).canonicalText
    }

    private func tell(
        _ stored: StoredPage, _ collected: PageFetch.Collected, events: Int, isRefresh: Bool,
        _ began: Duration
    ) {
        let refusals = Self.refusals(stored)
        let problems =
            collected.problems + refusals.problems
            + ProblemList.remarks(on: refusals.further)
        for item in stored.items {
            context.observer.handler(.item(kind: item.kind, id: item.id, action: item.action, bytes: nil))
        }
        for problem in problems + collected.warnings + conflicts(stored) {
            context.observer.handler(.problem(problem))
        }
        context.tally.add(.pages)
        context.tally.add(.objects, stored.items.count)
        context.observer.handler(
            .pageApplied(
                WatchedPage(
                    loop: loop, run: stored.run, events: events, isRefresh: isRefresh,
                    objects: Self.counts(stored), problems: problems,
                    duration: setting.clock.now() - began)))
        context.signals.stored(Set(stored.items.compactMap { Kinds.standard[$0.kind] }))
    }

    /// Local edits that met the server's: each was settled by its rule, and a person may want to know.
    private func conflicts(_ stored: StoredPage) -> [Problem] {
        guard let run = stored.run, stored.counts[.album] != nil else { return [] }
        do {
            return try context.store.conflicts(ChangeFilter(run: run)).reversed().map(\.problem)
        } catch {
            return [Problem(what: "conflict", kind: nil, id: nil, message: "\(error)")]
        }
    }

    private static func counts(_ stored: StoredPage) -> [String: SyncSummary.Count] {
        Dictionary(
            uniqueKeysWithValues: stored.counts.map { kind, count in
                (
                    kind.name,
                    SyncSummary.Count(created: count.created, updated: count.updated, deleted: count.deleted)
                )
            })
    }

    private static func refusals(_ stored: StoredPage) -> ProblemList {
        let refused = stored.refused.map { write, message in
            let (kind, id) = write.subject
            return Problem(what: "not stored", kind: kind, id: id, message: message)
        }
        return ProblemList(refused + stored.held.compactMap(\.problem))
    }

    private static func logged(_ problem: Problem) -> CatalogueStore.RunError {
        CatalogueStore.RunError(
            what: problem.what, kind: problem.kind, id: problem.id, message: problem.message)
    }
}
