import Catalogue
import MirrorStore
import OperationTree

/// Asks for what is referred to and not here, after everything that the lists name was stored.
///
/// Ghosts come first, in the order in which they came to be; what is found is stored as *linked*, with its pictures and
/// lists, and asked for again once a day, since no list tells when it changes. What the server doesn't have, or doesn't
/// show, is tried again after 24 hours, and is no failure. Rows that are marked for refetching are fetched as well,
/// where no list of the run leads to them. Nothing is sent where there is nothing to fetch.
///
/// A run that walks a part of the tree asks for no other kinds: without their lists it can't tell what no list names from what
/// the next whole sync brings.
struct GhostFetch: Sendable {
    let environment: SyncEnvironment
    /// Whether anything may be removed: not after an objection of the guard, nor on a first sync from a new origin.
    var mayDelete = true
    /// As ``FinishRequest/keepsEmptied``.
    var keepsEmptied = false
    /// What is left alone for now.
    var asked: [Kind: Set<ExactText>] = [:]
    /// Lists that the end of the same run kept as they are, and has reported.
    var held: [HeldList] = []

    struct Report: Sendable {
        /// What failed otherwise than by not being there: it makes the run partial.
        var problems = ProblemList()
        /// Objects that were asked for.
        var asked = 0
        var updatedByList: [Kind: Set<String>] = [:]
        /// What the guard kept of lists under what was fetched.
        var objections: [DeleteGuard.Intent] = []
        var intended = 0
    }

    /// What was found may refer to what is not here either: so many times a run.
    static let rounds = 3
    /// Of each kind in one round; the rest waits for the next.
    static let most = 5_000

    /// Fetches, and joins the memberships of what was fetched.
    ///
    /// - Throws: `CancellationError`, or what ended the tree's run: ``SyncError``, ``StoreError``.
    func run() async throws -> Report {
        var report = Report()
        var asked = asked
        var reported = held.reduce(into: [Owner: Set<String>]()) { $0[$1.owner, default: []].insert($1.name) }
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
        // A list that only the end of the run asked for (``RelistMissing``) led to nothing that is marked.
        try environment.store.ghostsToFetch(
            environment.walkedKinds, run: environment.run, walked: environment.report.current.walked,
            limit: Self.most, asked: asked
        ).mapValues { due in
            due.map { ObjectItem(id: $0.id, known: $0.known, origin: .unlisted($0.state)) }
        }
    }

    /// - Parameter reported: by owner, the lists that were reported as kept.
    private func fetch(
        _ due: [Kind: [ObjectItem]], _ report: inout Report, _ reported: inout [Owner: Set<String>]
    ) async throws {
        let outcome = try await environment.fetch(due, isUnlisted: true)
        report.problems += ProblemList(outcome.problems(environment.kinds), further: outcome.furtherFailures)
        // No kind is swept, and no list is clean because of this: only what was fetched now is joined.
        let state = environment.report.current
        var request = FinishRequest(run: environment.run)
        request.mayDelete = mayDelete
        request.limit = environment.options.maxDelete
        request.keepsEmptied = keepsEmptied
        request.unsettled = state.unsettled
        request.notFound = [.document: state.documentsNotFound]
        let finished = try environment.store.finish(request)
        report.updatedByList.merge(finished.updatedByList) { $0.union($1) }
        // All rounds end the same run, so that each finds again what was kept before.
        report.objections = finished.objections
        report.intended = finished.objections.isEmpty ? 0 : finished.intended
        guard finished.objections.isEmpty, mayDelete else { return }
        let new = finished.held.filter { reported[$0.owner, default: []].insert($0.name).inserted }
        report.problems += ProblemList(new.compactMap(\.problem))
    }
}
