import Catalogue
import Foundation
import MirrorStore
import OperationTree

/// The work that follows a stored page: updating the search index, downloading files and fetching ghosts.
///
/// A page is complete without it. If the program ends before this work is done, the next sync does the rest.
extension FeedContext {
    /// Does one part of the work.
    ///
    /// - Returns: whether there is more to do.
    func followUp() async throws -> Bool {
        try store.updateSearchIndex()
        // A few objects per call, so that other programs can take the run lock in between.
        let owners = files.take(10), lock: RunHold
        do {
            lock = try setting.lock.take(setting.folder)
        } catch {
            files.add(owners)
            throw error
        }
        defer { withExtendedLifetime(lock) {} }
        try await fetchFiles(of: owners)
        // Once the queue is empty, downloaded addresses are forgotten: an address that is received again may have another file.
        if files.count == 0 {
            files.forgetDownloads()
            // The next part would begin with this, but there is none.
            if !owners.isEmpty { try store.updateSearchIndex() }
        }
        try await fetchGhosts()
        return files.count > 0
    }

    private func fetchFiles(of owners: [Owner]) async throws {
        guard !owners.isEmpty else { return }
        let report = SyncReport(), applier = applier(run: 0, report)
        let outcome = try await environment(applier, setting.options.remembering(store), report: report)
            .run(SyncTree.files(as: setting.tree), on: owners).execute()
        try await applier.flush()
        reportProblems(outcome.problems(store.kinds), report)
        if !outcome.failures.isEmpty { files.postpone(owners, at: setting.clock.now()) }
        if outcome.isCancelled { throw CancellationError() }
        if let error = outcome.error { throw error }
    }

    private func applier(run: Int64, _ report: SyncReport) -> Applier {
        let monitor = SyncMonitor { event in
            guard case .item(let kind, let id, let action, let bytes) = event else { return }
            self.notify(.item(kind: kind, id: id, action: action, bytes: bytes))
        }
        return Applier(
            store: store, run: run, report: report, now: setting.now,
            files: setting.folder.files, observe: { monitor.applied($0, $1) })
    }

    private func reportProblems(_ problems: [Problem], _ report: SyncReport) {
        for problem in problems + report.current.problems { notify(.problem(problem)) }
    }

    // MARK: - Ghosts

    /// Fetches ghosts in a separate run, so that the log contains the source of the changes.
    private func fetchGhosts() async throws {
        let began = setting.clock.now()
        let attempted = ghosts.current(at: began)
        let due = try store.ghostsToFetch(
            store.kinds.listed.filter(coverage.kinds.contains), run: -1, limit: GhostFetch.maximumPerRound,
            asked: attempted
        ).flatMap { kind, ghosts in ghosts.map { Owner(kind, $0.id) } }
        guard !due.isEmpty else { return }
        ghosts.note(due)
        let run = try store.beginRun("events"), report = SyncReport()
        let environment = environment(
            applier(run: run, report), try setting.options.remembering(store), report: report, run: run)
        var summary = SyncSummary(partner: setting.partner, outcome: .complete)
        do {
            let fetched = try await GhostFetch(
                environment: environment, keepsEmptied: true, asked: attempted
            ).run()
            summary.problems = fetched.problems.problems
            summary.furtherProblems = fetched.problems.further
            if !fetched.objections.isEmpty {
                summary.problems.append(GuardObjection(intents: fetched.objections).problem)
            }
            ghosts.noteFailed(fetched.problems.problems.compactMap(ghost), at: setting.clock.now())
            summary.inaccessible = report.current.inaccessible
            summary.unavailable = try store.unavailableFiles()
            if !summary.problems.isEmpty { summary.outcome = .partial }
        } catch {
            summary = SyncSummary(partner: setting.partner, failure: error)
            ghosts.noteFailed(due, at: setting.clock.now())
        }
        summary.seconds = (setting.clock.now() - began) / .seconds(1)
        summary.objects.merge(SyncSummary.counts(try store.changeCounts(run: run))) { $1 }
        try store.endRun(
            run, outcome: summary.outcome.rawValue, summary: summary.json.canonicalText,
            errors: summary.allProblems.map(\.runError))
        // A run that found no ghost isn't kept in the log.
        if !summary.hasChanges { try store.forgetIdleRun(run) }
        reportProblems(summary.problems, report)
        if let cause = summary.cause { throw cause }
        try store.updateSearchIndex()
    }

    /// The object that a problem is about.
    private func ghost(_ problem: Problem) -> Owner? {
        guard let kind = problem.kind.flatMap({ store.kinds[$0] }), let id = problem.id else { return nil }
        return Owner(kind, id)
    }
}
