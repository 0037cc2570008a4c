import Catalogue
import Foundation
import MirrorStore
import OperationTree

/// What follows stored pages without haste: the search index, pictures and documents' bytes, ghosts.
///
/// Nothing of it is needed for a page to be right: what is lost with the program, the next sync finds missing.
struct FollowUp: Sendable {
    let context: FeedContext

    /// So many objects at a time, so that other programs get at the run lock in between.
    static let batch = 10

    /// - Returns: whether there is more to do.
    func run() async throws -> Bool {
        try context.store.updateSearchIndex()
        let owners = context.files.take(Self.batch)
        let lock: RunHold
        do {
            lock = try context.lock.take(context.setting.folder)
        } catch {
            context.files.add(owners)
            throw error
        }
        defer { withExtendedLifetime(lock) {} }
        try await fetchFiles(of: owners)
        // What nothing waits for is forgotten: it may be another when it is named again.
        if context.files.count == 0 { context.files.startOver() }
        try await fetchGhosts()
        return context.files.count > 0
    }

    // MARK: - Files

    private func fetchFiles(of owners: [Owner]) async throws {
        guard !owners.isEmpty else { return }
        let options = context.setting.options, report = SyncReport()
        let applier = applier(run: 0, report)
        let outcome = await context.environment(applier, options, report: report)
            .run(SyncTree.files, on: owners).execute()
        try await applier.flush()
        try tell(outcome.problems(context.store.kinds), report)
        if !outcome.failures.isEmpty { context.files.putOff(owners, at: context.setting.clock.now()) }
        if outcome.isCancelled { throw CancellationError() }
        if let error = outcome.error { throw error }
    }

    private func applier(run: Int64, _ report: SyncReport) -> Applier {
        let context = context
        let monitor = SyncMonitor { event in
            guard case .item(let kind, let id, let action, let bytes) = event else { return }
            context.observer.handler(.item(kind: kind, id: id, action: action, bytes: bytes))
        }
        return Applier(
            store: context.store, run: run, report: report, now: context.setting.now,
            files: context.setting.folder.files,
            observe: { monitor.applied($0, $1) })
    }

    private func tell(_ problems: [Problem], _ report: SyncReport) throws {
        for problem in problems + report.current.problems { context.observer.handler(.problem(problem)) }
    }

    // MARK: - Ghosts

    /// Asked for in a run of its own, so that the log says where they came from.
    private func fetchGhosts() async throws {
        let store = context.store
        let attempted = context.ghosts.current(at: context.setting.clock.now())
        let due = try store.ghostsToFetch(
            store.kinds.listed, run: -1, limit: GhostFetch.most, asked: attempted
        ).mapValues { ghosts in Set(ghosts.map { ExactText($0.id) }) }
        guard due.values.contains(where: { !$0.isEmpty }) else { return }
        context.ghosts.note(due)
        let run = try store.beginRun("events"), report = SyncReport(), began = context.setting.clock.now()
        let applier = applier(run: run, report)
        let environment = context.environment(applier, context.setting.options, report: report, run: run)
        var summary = SyncSummary(partner: context.setting.partner, outcome: .complete)
        do {
            let fetched = try await GhostFetch(
                environment: environment, keepsEmptied: true, asked: attempted
            ).run()
            summary.problems = fetched.problems.problems
            summary.furtherProblems = fetched.problems.further
            if !fetched.objections.isEmpty {
                summary.problems.append(GuardObjection(intents: fetched.objections).problem)
            }
            context.ghosts.noteFailed(Self.failed(fetched.problems.problems), at: context.setting.clock.now())
            summary.inaccessible = report.current.inaccessible
            summary.unavailable = try store.unavailableFiles()
            if !summary.problems.isEmpty { summary.outcome = .partial }
        } catch {
            summary = SyncSummary(partner: context.setting.partner, failure: error)
            context.ghosts.noteFailed(due, at: context.setting.clock.now())
        }
        summary.seconds = (context.setting.clock.now() - began) / .seconds(1)
        for (kind, count) in try store.changeCounts(run: run) {
            summary.objects[kind.name] = SyncSummary.Count(
                created: count.created, updated: count.updated, deleted: count.deleted)
        }
        try store.endRun(
            run, outcome: summary.outcome.rawValue, summary: JSONValue.object(summary.json).canonicalText,
            errors: (summary.problems + ProblemList.remarks(on: summary.furtherProblems))
                .map {
                    CatalogueStore.RunError(what: $0.what, kind: $0.kind, id: $0.id, message: $0.message)
                })
        // Asking again for what isn't there is no news.
        if !summary.hasChanges { try store.forgetIdleRun(run) }
        try tell(summary.problems, report)
        if let cause = summary.cause { throw cause }
        try store.updateSearchIndex()
    }

    private static func failed(_ problems: [Problem]) -> GhostAttempts.IDs {
        problems.reduce(into: [:]) { failed, problem in
            guard let kind = problem.kind.flatMap({ Kinds.standard[$0] }), let id = problem.id else { return }
            failed[kind, default: []].insert(ExactText(id))
        }
    }
}
