import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// Ends a run after its tree: requests lists again if listed objects were not found, calls the Deleter, makes the summary.
struct RunFinisher: Sendable {
    let environment: SyncEnvironment
    /// `nil` if the tree did not run.
    let outcome: OperationTree.Outcome?
    let origin: Origins.Resolved
    /// The errors of lists that were given up after waiting for the server, by canonical URL.
    var abandoned: [String: SyncError] = [:]

    /// The result of ``settle(since:cursor:refresh:snapshotPartner:)``.
    struct Settlement: Sendable {
        var problems = ProblemList()
        var report = FinishReport()
        /// Whether the cursor of the feed of events was stored.
        var hasCursor = false
        /// Whether the refresh succeeded; `nil` if the run is no refresh.
        var verdict: RefreshOrder.Verdict?
    }

    /// Stores memberships, applies the delete guard, and sweeps.
    ///
    /// - Parameters:
    ///   - since: the since dates of the next pull.
    ///   - cursor: the position of the feed of events before the first list was requested; stored if the run is complete.
    ///   - snapshotPartner: the partner's id, if a snapshot was loaded.
    func settle(
        since: [FinishRequest.Since], cursor: String? = nil, refresh: RefreshOrder? = nil,
        snapshotPartner: String? = nil
    ) async throws -> Settlement {
        try await environment.applier.flush()
        let relisted = try await RelistMissing(environment: environment).run(after: failures())
        let absences = try await AbsenceCheck(environment: environment).run()
        try await environment.removeWithdrawnPictures()
        var request = request()
        request.since = since
        request.keepsEmptied = refresh != nil
        request.snapshotPartner = snapshotPartner
        let verdict = refresh?.verdict(on: outcome, relisted.outcomes, environment)
        let isCovered = refresh == nil ? relisted.problems.isEmpty && isComplete : verdict?.obstacle == nil
        if isCovered { (request.cursor, request.toListAgain) = (cursor, verdict?.kindsToRelist ?? []) }
        request.listedAgain = refresh == nil && isCovered ? environment.coverage.complete : request.kinds
        environment.reportRefusedPictures()
        let report = try environment.store.finish(request) { try refresh?.ticket.check() }
        if report.objections.isEmpty { try environment.concludeSource(isComplete: isComplete) }
        for conflict in try environment.store.conflicts(ChangeFilter(run: environment.run)).reversed() {
            environment.report.problem(conflict.problem)
        }
        try environment.rememberClock()
        // If the guard stopped the sweep, its own report includes these lists.
        let isSwept = report.objections.isEmpty && request.mayDelete
        var problems = relisted.problems
        problems += absences
        if isSwept { problems += ProblemList(report.unapplied.compactMap(\.problem)) }
        return Settlement(
            problems: problems, report: report,
            hasCursor: request.cursor != nil && isSwept, verdict: verdict)
    }

    /// The outcome of a run that was not interrupted.
    func judge(_ settlement: Settlement) -> SyncSummary.Outcome {
        guard settlement.report.objections.isEmpty else { return .guarded }
        return settlement.problems.isEmpty && isComplete ? .complete : .partial
    }

    // MARK: - Failures

    /// Whether all lists were complete and current and every object could be stored. An outdated list makes it `false`.
    var isComplete: Bool {
        let state = environment.report.current
        guard let outcome else { return false }
        let lists = outcome.incompleteLists.filter {
            !($0.node == "album" && state.notSupported.contains("albums"))
        }
        return lists.isEmpty && outcome.furtherIncompleteLists == 0 && outcome.furtherFailures == 0
            && state.refused.isEmpty && state.outdated.isEmpty
    }

    func failures() -> [Problem] {
        (outcome?.problems(environment.kinds) ?? []).map { problem in
            guard problem.what == "list" else { return problem }
            let error = problem.id.flatMap { abandoned[$0] }
            return Problem(
                what: problem.what, kind: problem.kind, id: describedURL(of: problem) ?? problem.id,
                message: error?.message ?? problem.message)
        }
    }

    /// The URL of a list that could not be read from a described source, whose lists have other URLs than the Partner API's.
    private func describedURL(of problem: Problem) -> String? {
        let kind = environment.kinds.listed.first { $0.name == problem.kind }
        return kind.flatMap { environment.described?.listURL(of: $0) }
    }

    // MARK: - The Deleter

    func request() -> FinishRequest {
        let state = environment.report.current
        var request = FinishRequest(run: environment.run)
        request.mayDelete = !origin.isNew
        request.limit = environment.options.maxDelete
        request.coversAllKinds = environment.coverage.coversMirror
        request.kinds = state.complete
        let possiblyStale = state.possiblyStale
        request.clean = state.clean.filter { url in !possiblyStale.contains { url.contains("/\($0.plural)?") }
        }
        request.unsettled = state.unsettled
        request.formats = environment.options.mediaKey
        request.repairsTiles = environment.options.repairsTiles
        request.notFound = state.notFoundURLs(environment.router)
        environment.addSourceRules(to: &request, isComplete: isComplete)
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
        if !environment.coverage.coversMirror { summary.only = environment.walkedKinds.map(\.name) }
        summary.failure = failure.map { "\($0)" }
        summary.cause = failure
        summary.pace = environment.catalogue.map { RequestPace($0.description) }
        summary.problems = problems + state.problems.filter { !$0.isNotice }
        summary.furtherProblems = (self.outcome?.furtherFailures ?? 0) + state.furtherProblems
        summary.guarded = guarded
        summary.requests = environment.session.statistics
        summary.vouched = state.vouched
        summary.inaccessible = state.inaccessible
        summary.continuedLists = state.continued
        summary.unavailable = try environment.store.unavailableFiles()
        summary.absent = try environment.store.absentCounts()
        summary.untiled = state.untiled
        summary.forecast = state.forecast
        let failed = problems.reduce(into: [:]) { $0["\($1.what) \($1.kind ?? "")", default: 0] += 1 }
        let changes = try environment.store.changeCounts(run: environment.run)
        // An interrupted or paused run has not checked every object, so the number of unchanged ones is unknown.
        let isFinished = outcome != .cancelled && outcome != .failed && failure == nil
        for kind in environment.kinds.all {
            var count = SyncSummary.Count(
                listed: state.listed[kind] ?? 0, created: changes[kind]?.created ?? 0,
                updated: changes[kind]?.updated ?? 0, deleted: changes[kind]?.deleted ?? 0,
                failed: failed["object \(kind)", default: 0] + (state.refused[kind.name] ?? 0))
            let known = count.listed + (state.linked[kind] ?? 0)
            if isFinished { count.unchanged = max(0, known - count.created - count.updated - count.failed) }
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
    /// The failures as problems, each with a human-readable sentence.
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
