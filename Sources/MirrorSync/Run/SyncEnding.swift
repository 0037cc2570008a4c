import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// What follows the tree: second thoughts about what was not found, the Deleter, and the summary.
struct SyncEnding: Sendable {
    let environment: SyncEnvironment
    /// `nil` if the tree did not run.
    let outcome: OperationTree.Outcome?
    let origin: Origins.Settled
    /// What is said of lists for which the server was waited in vain, by canonical URL.
    var abandoned: [String: SyncError] = [:]

    /// What the end of the tree came to.
    struct Settlement: Sendable {
        var problems: [Problem] = []
        var furtherProblems = 0
        var report = FinishReport()
        /// Whether it is stored up to which event the feed is covered.
        var hasCursor = false
        /// What keeps a refresh from having been one.
        var obstacle: (any Error)?
        /// Kinds of which the feed is followed though their list did not come.
        var lacking: Set<Kind> = []
        /// What failed alike in this refresh and those before it; `nil` for another run.
        var failures: RepeatedFailures?
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
        let look = try await afterSecondLook()
        var request = try request()
        request.since = since
        request.keepsEmptied = refresh != nil
        request.loaded = loaded
        let verdict = refresh?.verdict(on: outcome, look.outcomes, environment)
        let obstacle = verdict?.obstacle
        let isCovered = refresh == nil ? look.isClean && isWhole : obstacle == nil
        if isCovered { (request.cursor, request.owed) = (cursor, verdict?.owed ?? []) }
        request.settled = refresh == nil && isCovered ? Set(Kinds.standard.listed) : request.kinds
        let report = try environment.store.finish(request) { try refresh?.ticket.check() }
        for conflict in try environment.store.conflicts(ChangeFilter(run: environment.run)).reversed() {
            environment.report.problem(conflict.problem)
        }
        try environment.rememberClock()
        // What the guard stops, it says itself.
        let isSwept = report.objections.isEmpty && request.mayDelete
        let held = ProblemList(isSwept ? report.held.compactMap(\.problem) : [])
        let hasCursor = request.cursor != nil && isSwept
        return Settlement(
            problems: look.problems + held.problems, furtherProblems: look.furtherFailures + held.further,
            report: report, hasCursor: hasCursor, obstacle: obstacle, lacking: verdict?.lacking ?? [],
            failures: verdict?.failures)
    }

    /// How a run that came to its end ended.
    func judge(_ settlement: Settlement) -> SyncSummary.Outcome {
        guard settlement.report.objections.isEmpty else { return .guarded }
        let isClean = settlement.problems.isEmpty && settlement.furtherProblems == 0
        return isClean && isWhole ? .complete : .partial
    }

    /// What was swept, for reporting item by item.
    static func deletions(_ environment: SyncEnvironment) throws -> [(kind: String, id: String)] {
        var gone: [(kind: String, id: String)] = []
        try environment.store.changes(run: environment.run, action: "delete") { gone.append(($0, $1)) }
        return gone
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
        (outcome.map(Self.problems) ?? []).map { problem in
            guard problem.what == "list", let error = problem.id.flatMap({ abandoned[$0] }) else {
                return problem
            }
            return Problem(what: problem.what, kind: problem.kind, id: problem.id, message: error.message)
        }
    }

    /// What failed in a tree's run, each in a sentence.
    static func problems(of outcome: OperationTree.Outcome) -> [Problem] {
        outcome.failures.map { failure in
            let kind = kind(ofNode: failure.node)
            return Problem(
                what: word(for: failure), kind: kind, id: failure.item ?? failure.list,
                message: message(failure.error))
        }
    }

    /// What is left of what failed after a second look at what was not found.
    private func afterSecondLook() async throws -> SecondLook.Result {
        let state = environment.report.current
        guard !state.notFound.isEmpty, let partner = try environment.store.storedSingle(.partner)?.id else {
            return SecondLook.Result(problems: failures())
        }
        return try await SecondLook(
            environment: environment.identified(as: partner, extensions: state.extensions)
        ).run(after: failures())
    }

    // MARK: - The Deleter

    func request() throws -> FinishRequest {
        let state = environment.report.current
        var request = FinishRequest(run: environment.run)
        request.mayDelete = !origin.isNew
        request.limit = environment.options.maxDelete
        request.kinds = state.complete
        let doubtful = state.doubtful
        request.clean = state.clean.filter { url in !doubtful.contains { url.contains("/\($0.plural)?") } }
        request.unsettled = state.unsettled
        request.formats = environment.options.mediaKey
        if let partner = try environment.store.storedSingle(.partner)?.id {
            request.notFound = state.notFoundURLs(Router(partner: partner))
        }
        return request
    }

    // MARK: - Summary

    func summary(
        _ outcome: SyncSummary.Outcome, problems: [Problem], guarded: [DeleteGuard.Intent], failure: String?,
        cause: (any Error)?
    ) throws -> SyncSummary {
        let state = environment.report.current
        var summary = SyncSummary(partner: environment.partner, outcome: outcome)
        summary.origin = origin.base
        summary.failure = failure
        summary.cause = cause
        summary.problems = problems + state.problems.filter { !$0.isNotice }
        summary.furtherProblems = (self.outcome?.furtherFailures ?? 0) + state.furtherProblems
        summary.guarded = guarded
        summary.requests = environment.session.statistics
        summary.vouched = state.vouched
        summary.inaccessible = state.inaccessible.values.reduce(0, +)
        summary.unavailable = try environment.store.unavailableFiles()
        summary.forecast = state.forecast
        let changes = try environment.store.changeCounts(run: environment.run)
        for kind in Kinds.standard.all {
            var count = SyncSummary.Count()
            count.listed = state.listed[kind] ?? 0
            count.created = changes[kind]?.created ?? 0
            count.updated = changes[kind]?.updated ?? 0
            count.deleted = changes[kind]?.deleted ?? 0
            count.failed = problems.filter { $0.kind == kind.name && $0.what == "object" }.count
            count.failed += state.refused[kind.name] ?? 0
            // Of a run that was broken off nobody knows what it had not looked at yet.
            let isOver = outcome != .cancelled && outcome != .failed
            count.unchanged =
                isOver
                ? max(
                    0,
                    count.listed + (state.linked[kind] ?? 0) - count.created - count.updated - count.failed)
                : 0
            summary.objects[kind.name] = count
        }
        if environment.options.media {
            let fetched = state.images.fetched + state.images.fetchedBefore
            summary.objects["image"] = SyncSummary.Count(
                listed: max(state.images.wanted, fetched), created: fetched,
                unchanged: max(0, state.images.unchanged - state.images.fetchedBefore),
                failed: problems.filter { $0.kind == "image" && $0.what == "file" }.count)
        }
        return summary
    }

    /// What failed, in a word.
    private static func word(for failure: OperationTree.Failure) -> String {
        switch failure.kind {
        case .list: "list"
        case .report: "push"
        case .item where failure.node == "image" || failure.node == "document file": "file"
        case .item, .finishing: "object"
        }
    }

    /// The kind that a node's items are of.
    private static func kind(ofNode node: String) -> String? {
        switch node {
        case "image": "image"
        case "artist documents", "show documents", "document file": "document"
        case "album edits", "album deletions", "album artworks": "album"
        case "show artworks", "installation shots", "show cover": "show"
        case "location artworks": "location"
        case "Sync": "partner"
        default: Kinds.standard[node]?.name
        }
    }

    /// One sentence for a person, whatever the error's type.
    static func message(_ error: any Error) -> String {
        switch error {
        case let error as HTTPError: error.message
        case let error as SyncError: error.message
        case let error as StoreError: error.message
        case let error as LastingFailure: message(error.cause)
        default: "\(error)"
        }
    }
}
