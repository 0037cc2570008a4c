import Catalogue
import MirrorStore
import OperationTree

/// Fetches objects that are referred to but not stored, after all listed objects were stored.
///
/// - Ghosts are requested first, oldest first. A ghost that is found is stored as *linked*, with its pictures and lists. It is
///   requested again once a day, because no list reports its changes.
/// - A ghost that the server doesn't have or doesn't show is no failure. It is requested again after 24 hours.
/// - Rows that are marked for refetching are fetched too, unless a list of this run leads to them.
///
/// If nothing is due, no request is sent. A run that walks a part of the tree requests only the kinds of that part: without
/// the list of a kind, it can't tell an unlisted object from one that the next sync of all kinds will list.
struct GhostFetch: Sendable {
    let environment: SyncEnvironment
    /// Whether anything may be removed. `false` after the delete guard objected, and on a first sync from a new origin.
    var mayDelete = true
    /// As ``FinishRequest/keepsEmptied``.
    var keepsEmptied = false
    /// Objects that are not requested, because they already were.
    var asked: [Kind: Set<ExactText>] = [:]
    /// Lists that the run has kept unchanged and reported.
    var unapplied: [UnappliedList] = []

    struct Report: Sendable {
        /// Failures, which make the run partial. That an object was not found is none.
        var problems = ProblemList()
        /// The number of requested objects.
        var asked = 0
        var updatedByList: [Kind: Set<String>] = [:]
        /// Deletions that the guard prevented in lists of the fetched objects.
        var objections: [DeleteGuard.Intent] = []
        var intended = 0
    }

    /// The number of rounds in a run: a fetched object may refer to further objects that are not stored.
    static let rounds = 3
    /// The maximum number of objects of a kind in one round; the others wait for the next one.
    static let maximumPerRound = 5_000

    /// Fetches the objects that are due, and stores the memberships of their lists.
    ///
    /// - Throws: `CancellationError`, or the error that ended the tree's run: ``SyncError``, ``StoreError``.
    func run() async throws -> Report {
        var report = Report()
        var asked = asked
        var reported = unapplied.reduce(into: [Owner: Set<String>]()) {
            $0[$1.owner, default: []].insert($1.name)
        }
        for _ in 0..<Self.rounds {
            let due = try due(asked)
            guard due.values.contains(where: { !$0.isEmpty }) else { break }
            for (kind, items) in due {
                asked[kind, default: []].formUnion(items.map { ExactText($0.id) })
                report.asked += items.count
            }
            try await fetch(due, &report, &reported)
        }
        return report
    }

    private func due(_ asked: [Kind: Set<ExactText>]) throws -> [Kind: [ObjectItem]] {
        // Lists that only ``RelistMissing`` requested don't count: marked rows in them were not fetched.
        try environment.store.ghostsToFetch(
            environment.walkedKinds.filter { environment.source.object("", of: $0) != nil },
            run: environment.run, walked: environment.report.current.walked,
            limit: Self.maximumPerRound, asked: asked
        ).mapValues { due in
            due.map { ObjectItem(id: $0.id, known: $0.known, origin: .unlisted($0.state)) }
        }
    }

    /// - Parameter reported: the names of lists already reported as kept, by owner.
    private func fetch(
        _ due: [Kind: [ObjectItem]], _ report: inout Report, _ reported: inout [Owner: Set<String>]
    ) async throws {
        let outcome = try await environment.fetch(due, isUnlisted: true)
        report.problems += ProblemList(outcome.problems(environment.kinds), further: outcome.furtherFailures)
        // No kind is swept, and no list becomes clean: only the lists of the objects fetched now are stored.
        let state = environment.report.current
        var request = FinishRequest(run: environment.run)
        request.mayDelete = mayDelete
        request.limit = environment.options.maxDelete
        request.keepsEmptied = keepsEmptied
        request.unsettled = state.unsettled
        request.notFound = [.document: state.documentsNotFound]
        let finished = try environment.store.finish(request)
        report.updatedByList.merge(finished.updatedByList) { $0.union($1) }
        // Every round finishes the same run, so each one finds the earlier rounds' objections again.
        report.objections = finished.objections
        report.intended = finished.objections.isEmpty ? 0 : finished.intended
        guard finished.objections.isEmpty, mayDelete else { return }
        let new = finished.unapplied.filter { reported[$0.owner, default: []].insert($0.name).inserted }
        report.problems += ProblemList(new.compactMap(\.problem))
    }
}
