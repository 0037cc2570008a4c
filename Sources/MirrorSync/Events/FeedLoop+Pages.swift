import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Applies pages to the mirror: first everything that a page needs is fetched, then it is stored with the page's cursor.
extension FeedLoop {
    /// Fetches and stores the changes of a page.
    ///
    /// - Parameters:
    ///   - asked: the cursor that is stored before the page; `nil` for none.
    ///   - cursor: the id of the last event that these changes cover; it is stored with them.
    func apply(
        _ changes: PageChanges, asked: String?, cursor: String, isRefresh: Bool = false, ticket: CommitTicket
    ) async throws {
        if changes.isEmpty, asked == cursor { return }
        // If another run has written to the store in the meantime, the page is compared with the store again. If the stored
        // cursor has moved, the page is dropped.
        for _ in 0..<3 {
            let began = context.setting.clock.now(), newest = try context.store.newestRun()
            var changes = changes
            try changes.leaveOut(context.store.prunedETags())
            let fetched = try await PageFetch(context, show: show).collect(changes)
            var page = PageCommit(
                loop: loopID, kind: kind, asked: asked, newestRun: newest, cursor: cursor,
                writes: fetched.writes)
            page.unsettled = fetched.unsettled
            page.notFound = fetched.notFound
            page.limit = context.setting.options.maxDelete
            page.hasProblems = !fetched.problems.isEmpty
            if case .stored(let stored) = try store(page, changes, fetched, since: began, ticket) {
                report(stored, fetched, events: changes.count, isRefresh: isRefresh, since: began)
                context.files.startOver()
                context.files.add(changes.owners)
                return
            }
            guard try context.store.loop(loopID)?.cursor == asked else { return }
        }
    }

    private func store(
        _ page: PageCommit, _ changes: PageChanges, _ fetched: PageFetch.Collected, since began: Duration,
        _ ticket: CommitTicket
    ) throws -> PageOutcome {
        let setting = context.setting
        // Storing only the cursor needs no run lock: everything that it covers is already stored.
        let lock = page.writes.isEmpty && !page.hasProblems ? nil : try setting.lock.take(setting.folder)
        defer { withExtendedLifetime(lock) {} }
        if lock != nil { context.forgetCached(changes) }
        let unavailable = try context.store.unavailableFiles()
        return try context.store.commit(page) { stored in
            var summary = summary(stored, fetched, since: began)
            summary.unavailable = unavailable
            return (summary.json.canonicalText, summary.allProblems.map(\.runError))
        } check: {
            try ticket.check()
        }
    }

    private func summary(
        _ stored: StoredPage, _ fetched: PageFetch.Collected, since began: Duration
    ) -> SyncSummary {
        let refused = stored.refused.map { write, message in
            let (kind, id) = write.subject
            return Problem(what: "not stored", kind: kind, id: id, message: message)
        }
        let refusals = ProblemList(refused + stored.held.compactMap(\.problem))
        let problems = fetched.problems + refusals.problems
        var summary = SyncSummary(
            partner: context.setting.partner, outcome: problems.isEmpty ? .complete : .partial)
        summary.problems = problems
        summary.furtherProblems = refusals.further
        summary.seconds = (context.setting.clock.now() - began) / .seconds(1)
        summary.objects = SyncSummary.counts(stored.counts)
        return summary
    }

    private func report(
        _ stored: StoredPage, _ fetched: PageFetch.Collected, events: Int, isRefresh: Bool,
        since began: Duration
    ) {
        let summary = summary(stored, fetched, since: began)
        for item in stored.items {
            context.notify(.item(kind: item.kind, id: item.id, action: item.action, bytes: nil))
        }
        for problem in summary.allProblems + fetched.warnings + conflicts(stored) {
            context.notify(.problem(problem))
        }
        context.setting.tally.add(.objects, stored.items.count)
        context.pageApplied(
            WatchedPage(
                loop: loopID, run: stored.run, events: events, isRefresh: isRefresh,
                objects: summary.objects, problems: summary.allProblems,
                duration: context.setting.clock.now() - began))
    }

    /// The conflicts between local edits and the server's. Each is resolved by the documented rule, and reported.
    private func conflicts(_ stored: StoredPage) -> [Problem] {
        guard let run = stored.run, stored.counts[.album] != nil else { return [] }
        do {
            return try context.store.conflicts(ChangeFilter(run: run)).reversed().map(\.problem)
        } catch {
            return [Problem(what: "conflict", kind: nil, id: nil, message: "\(error)")]
        }
    }
}

extension UnappliedList {
    /// The problem to report; `nil` if the missing members were removed together with another object.
    var problem: Problem? {
        guard losses > 0 else { return nil }
        let noun = ["artworks", "documents"].contains(name) ? name : "pictures"
        let lacks = losses == 1 ? "1 that is stored" : "\(losses) that are stored"
        return Problem(
            what: "guard", kind: owner.kind.name, id: owner.id,
            message:
                "Its list of \(noun) does not name \(lacks), so nothing was removed. The next sync of all kinds decides."
        )
    }
}

extension SyncSummary {
    /// Converts the numbers of changes, by kind, to those of a summary, by the kind's name.
    static func counts(
        _ changes: [Kind: (created: Int, updated: Int, deleted: Int)]
    ) -> [String: Count] {
        changes.reduce(into: [:]) { counts, change in
            let (kind, count) = change
            counts[kind.name] = Count(created: count.created, updated: count.updated, deleted: count.deleted)
        }
    }

    /// The listed problems, with one more that gives the number of those that are not listed.
    var allProblems: [Problem] { problems + ProblemList.remarks(on: furtherProblems) }
}

extension Problem {
    /// The form in which the log stores the problem.
    var runError: LoggedProblem {
        LoggedProblem(what: what, kind: kind, id: id, message: message)
    }
}
