import Catalogue
import Foundation
import MirrorStore
import OperationTree
import Synchronization

/// What follows stored pages without haste: the search index, pictures and documents' bytes, ghosts.
///
/// A page is complete without it: what is lost when the program ends, the next sync finds missing.
struct FollowUp: Sendable {
    let context: FeedContext

    /// Objects per turn; between turns other programs can take the run lock.
    static let batch = 10

    /// - Returns: whether there is more to do.
    func run() async throws -> Bool {
        try context.store.updateSearchIndex()
        let files = context.files, owners = files.take(Self.batch), lock: RunHold
        do {
            lock = try context.setting.lock.take(context.setting.folder)
        } catch {
            files.add(owners)
            throw error
        }
        defer { withExtendedLifetime(lock) {} }
        try await fetchFiles(of: owners)
        // An address that nothing waits for is forgotten: it may stand for another file when it is named again.
        if files.count == 0 { files.startOver() }
        try await fetchGhosts()
        return files.count > 0
    }

    private func fetchFiles(of owners: [Owner]) async throws {
        guard !owners.isEmpty else { return }
        let report = SyncReport(), applier = applier(run: 0, report)
        let outcome = await context.environment(applier, context.setting.options, report: report)
            .run(SyncTree.files, on: owners).execute()
        try await applier.flush()
        notify(SyncEnding.problems(of: outcome), report)
        if !outcome.failures.isEmpty { context.files.putOff(owners, at: context.setting.clock.now()) }
        if outcome.isCancelled { throw CancellationError() }
        if let error = outcome.error { throw error }
    }

    private func applier(run: Int64, _ report: SyncReport) -> Applier {
        let context = context
        let monitor = SyncMonitor { event in
            guard case .item(let kind, let id, let action, let bytes) = event else { return }
            context.notify(.item(kind: kind, id: id, action: action, bytes: bytes))
        }
        return Applier(
            store: context.store, run: run, report: report, now: context.setting.now,
            files: context.setting.folder.files, observe: { monitor.applied($0, $1) })
    }

    private func notify(_ problems: [Problem], _ report: SyncReport) {
        for problem in problems + report.current.problems { context.notify(.problem(problem)) }
    }

    // MARK: - Ghosts

    /// Fetches ghosts in a run of its own, so that the log says where they came from.
    private func fetchGhosts() async throws {
        let store = context.store, setting = context.setting, began = setting.clock.now()
        let attempted = context.ghosts.current(at: began)
        let due = try store.ghostsToFetch(
            store.kinds.listed, run: -1, limit: GhostFetch.most, asked: attempted
        ).mapValues { ghosts in Set(ghosts.map { ExactText($0.id) }) }
        guard due.values.contains(where: { !$0.isEmpty }) else { return }
        context.ghosts.note(due)
        let run = try store.beginRun("events"), report = SyncReport()
        let environment = context.environment(
            applier(run: run, report), setting.options, report: report, run: run)
        var summary = SyncSummary(partner: setting.partner, outcome: .complete)
        do {
            let fetched = try await GhostFetch(environment, keepsEmptied: true, asked: attempted).run()
            summary.problems = fetched.problems
            summary.furtherProblems = fetched.furtherProblems
            if !fetched.objections.isEmpty {
                summary.problems.append(GuardObjection(intents: fetched.objections).problem)
            }
            context.ghosts.noteFailed(failed(fetched.problems), at: setting.clock.now())
            summary.inaccessible = report.current.inaccessible.values.reduce(0, +)
            summary.unavailable = try store.unavailableFiles()
            if !summary.problems.isEmpty { summary.outcome = .partial }
        } catch {
            summary = SyncSummary(partner: setting.partner, failure: error)
            context.ghosts.noteFailed(due, at: setting.clock.now())
        }
        summary.seconds = (setting.clock.now() - began) / .seconds(1)
        summary.objects.merge(SyncSummary.counts(try store.changeCounts(run: run))) { $1 }
        try store.endRun(
            run, outcome: summary.outcome.rawValue, summary: JSONValue.object(summary.json).canonicalText,
            errors: summary.loggedProblems)
        // A ghost that still isn't there is no news.
        if !summary.hasChanges { try store.forgetIdleRun(run) }
        notify(summary.problems, report)
        if let cause = summary.cause { throw cause }
        try store.updateSearchIndex()
    }

    private func failed(_ problems: [Problem]) -> GhostAttempts.IDs {
        problems.reduce(into: [:]) { failed, problem in
            guard let kind = problem.kind.flatMap({ context.store.kinds[$0] }), let id = problem.id else {
                return
            }
            failed[kind, default: []].insert(ExactText(id))
        }
    }
}

/// What a watch has requested by itself lately: ghosts and objects marked for refetching, left alone meanwhile; bounded.
///
/// What the server doesn't have is requested at most once an hour, and what it failed to answer after ``pause``: an
/// object that a page named and that did not come is stale until then.
final class GhostAttempts: Sendable {
    typealias IDs = [Kind: Set<ExactText>]

    private struct State: Sendable {
        var since: Duration?
        var asked: IDs = [:]
        /// What failed, and when the first of it did.
        var failed: IDs = [:]
        var failedAt: Duration = .zero
    }

    static let pause: Duration = .seconds(300)
    static let memory: Duration = .seconds(3_600)
    static let most = 50_000
    private let state = Mutex(State())

    /// What is to be left alone at that time.
    func current(at time: Duration) -> IDs {
        state.withLock { state in
            let isOld = state.since.map { time - $0 >= Self.memory } ?? true
            if isOld || state.asked.values.reduce(0, { $0 + $1.count }) > Self.most {
                state = State(since: time)
            }
            return state.asked
        }
    }

    func note(_ asked: IDs) {
        state.withLock { $0.asked.merge(asked) { $0.union($1) } }
    }

    /// Some of what was requested failed in a way that may pass.
    func noteFailed(_ failed: IDs, at time: Duration) {
        guard failed.values.contains(where: { !$0.isEmpty }) else { return }
        state.withLock { state in
            if state.failed.isEmpty { state.failedAt = time }
            state.failed.merge(failed) { $0.union($1) }
        }
    }

    /// Frees what failed a while ago; returns whether there was any.
    func bringBack(at time: Duration) -> Bool {
        state.withLock { state in
            guard !state.failed.isEmpty, time - state.failedAt >= Self.pause else { return false }
            for (kind, ids) in state.failed { state.asked[kind]?.subtract(ids) }
            state.failed = [:]
            return true
        }
    }
}
