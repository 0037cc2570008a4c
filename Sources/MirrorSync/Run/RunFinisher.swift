import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// What follows the tree: lists that named what was not found are requested again, the Deleter, and the summary.
struct RunFinisher: Sendable {
    let environment: SyncEnvironment
    /// `nil` if the tree did not run.
    let outcome: OperationTree.Outcome?
    let origin: Origins.Settled
    /// What is said of lists for which the server was waited in vain, by canonical URL.
    var abandoned: [String: SyncError] = [:]

    /// What the end of the tree came to.
    struct Settlement: Sendable {
        var problems = ProblemList()
        var report = FinishReport()
        /// Whether it is stored up to which event the feed is covered.
        var hasCursor = false
        /// Whether a refresh was one; `nil` for another run.
        var verdict: RefreshOrder.Verdict?
    }

    /// Joins memberships, asks the guard, sweeps.
    ///
    /// - Parameters:
    ///   - since: what the next pull asks with.
    ///   - cursor: where the feed of events stood before the first list; stored if the run is complete.
    ///   - loaded: the partner's id, if a snapshot was taken in.
    func settle(
        since: [FinishRequest.Since], cursor: String? = nil, refresh: RefreshOrder? = nil,
        loaded: String? = nil
    ) async throws -> Settlement {
        try await environment.applier.flush()
        let relisted = try await RelistMissing(environment: environment).run(after: failures())
        var request = request()
        request.since = since
        request.keepsEmptied = refresh != nil
        request.loaded = loaded
        let verdict = refresh?.verdict(on: outcome, relisted.outcomes, environment)
        let isCovered = refresh == nil ? relisted.problems.isEmpty && isWhole : verdict?.obstacle == nil
        if isCovered { (request.cursor, request.owed) = (cursor, verdict?.owed ?? []) }
        request.settled = refresh == nil && isCovered ? environment.coverage.complete : request.kinds
        let report = try environment.store.finish(request) { try refresh?.ticket.check() }
        for conflict in try environment.store.conflicts(ChangeFilter(run: environment.run)).reversed() {
            environment.report.problem(conflict.problem)
        }
        try environment.rememberClock()
        // What the guard stops, it says itself.
        let isSwept = report.objections.isEmpty && request.mayDelete
        var problems = relisted.problems
        if isSwept { problems += ProblemList(report.held.compactMap(\.problem)) }
        return Settlement(
            problems: problems, report: report,
            hasCursor: request.cursor != nil && isSwept, verdict: verdict)
    }

    /// How a run that came to its end ended.
    func judge(_ settlement: Settlement) -> SyncSummary.Outcome {
        guard settlement.report.objections.isEmpty else { return .guarded }
        return settlement.problems.isEmpty && isWhole ? .complete : .partial
    }

    // MARK: - Failures

    /// Whether everything was seen, though perhaps something failed: a list that was merely older says no.
    var isWhole: Bool {
        let state = environment.report.current
        guard let outcome else { return false }
        let lists = outcome.incompleteLists.filter {
            !($0.node == "album" && state.notOffered.contains("albums"))
        }
        return lists.isEmpty && outcome.furtherIncompleteLists == 0 && outcome.furtherFailures == 0
            && state.refused.isEmpty && state.outdated.isEmpty
    }

    func failures() -> [Problem] {
        (outcome?.problems(environment.kinds) ?? []).map { problem in
            guard problem.what == "list", let error = problem.id.flatMap({ abandoned[$0] }) else {
                return problem
            }
            return Problem(what: problem.what, kind: problem.kind, id: problem.id, message: error.message)
        }
    }

    // MARK: - The Deleter

    func request() -> FinishRequest {
        let state = environment.report.current
        var request = FinishRequest(run: environment.run)
        request.mayDelete = !origin.isNew
        request.limit = environment.options.maxDelete
        request.isWhole = environment.coverage.isWhole
        request.kinds = state.complete
        let doubtful = state.doubtful
        request.clean = state.clean.filter { url in !doubtful.contains { url.contains("/\($0.plural)?") } }
        request.unsettled = state.unsettled
        request.formats = environment.options.mediaKey
        request.repairsTiles = environment.options.repairsTiles
        request.notFound = state.notFoundURLs(environment.router)
        return request
    }

    // MARK: - Summary

    func summary(
        _ outcome: SyncSummary.Outcome, problems: [Problem], guarded: [DeleteGuard.Intent] = [],
        failure: (any Error)? = nil
    ) throws -> SyncSummary {
        let state = environment.report.current
        var summary = SyncSummary(partner: environment.partner, outcome: outcome)
        summary.origin = origin.base
        if !environment.coverage.isWhole { summary.only = environment.walkedKinds.map(\.name) }
        summary.failure = failure.map { "\($0)" }
        summary.cause = failure
        summary.problems = problems + state.problems.filter { !$0.isNotice }
        summary.furtherProblems = (self.outcome?.furtherFailures ?? 0) + state.furtherProblems
        summary.guarded = guarded
        summary.requests = environment.session.statistics
        summary.vouched = state.vouched
        summary.inaccessible = state.inaccessible
        summary.unavailable = try environment.store.unavailableFiles()
        summary.untiled = state.untiled
        summary.forecast = state.forecast
        let failed = problems.reduce(into: [:]) { $0["\($1.what) \($1.kind ?? "")", default: 0] += 1 }
        let changes = try environment.store.changeCounts(run: environment.run)
        // Of a run that was broken off nobody knows what it had not looked at yet.
        let isOver = outcome != .cancelled && outcome != .failed
        for kind in environment.kinds.all {
            var count = SyncSummary.Count(
                listed: state.listed[kind] ?? 0, created: changes[kind]?.created ?? 0,
                updated: changes[kind]?.updated ?? 0, deleted: changes[kind]?.deleted ?? 0,
                failed: failed["object \(kind)", default: 0] + (state.refused[kind.name] ?? 0))
            let known = count.listed + (state.linked[kind] ?? 0)
            if isOver { count.unchanged = max(0, known - count.created - count.updated - count.failed) }
            summary.objects[kind.name] = count
        }
        if environment.options.media {
            func count(_ files: SyncReport.FileCounts, _ kind: String) -> SyncSummary.Count {
                let fetched = files.fetched + files.fetchedBefore
                return SyncSummary.Count(
                    listed: max(files.wanted, fetched), created: fetched,
                    unchanged: max(0, files.unchanged - files.fetchedBefore),
                    failed: failed["file \(kind)", default: 0])
            }
            summary.objects["image"] = count(state.images, "image")
            if environment.options.walksTiles {
                summary.objects[ImageTile.kind] = count(state.tiles, ImageTile.kind)
            }
        }
        return summary
    }
}

extension OperationTree.Outcome {
    /// What failed, each in a sentence.
    func problems(_ kinds: Kinds) -> [Problem] {
        failures.map { failure in
            Problem(
                what: failure.word, kind: SyncTree.kind(ofNode: failure.node, in: kinds),
                id: failure.item ?? failure.list, message: "\(failure.error)")
        }
    }
}

extension OperationTree.Failure {
    fileprivate var word: String {
        switch kind {
        case .list: "list"
        case .report: "push"
        case .item where SyncTree.fileNodes.contains(node): "file"
        case .item, .finishing: "object"
        }
    }
}
