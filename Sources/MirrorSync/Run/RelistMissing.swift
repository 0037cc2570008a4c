import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Requests the list of a kind again, if a listed object of that kind was not found.
///
/// An object that the new list doesn't name was deleted: its failure is removed. An object that only the new list names, such
/// as one whose id changed during the run, is fetched in this run. So in a complete run everything that its lists name is
/// stored. The fetched objects may not be found either, so this is repeated (``rounds``).
struct RelistMissing {
    let environment: SyncEnvironment

    struct Result: Sendable {
        /// The failures that remain.
        var problems: ProblemList
        /// The outcomes of the additional fetches.
        var outcomes: [OperationTree.Outcome] = []

        /// Removes the failures of these objects.
        mutating func settle(_ kind: Kind, _ ids: Set<ExactText>) {
            problems.removeAll { problem in
                problem.kind == kind.name && problem.id.map { ids.contains(ExactText($0)) } == true
            }
        }
    }

    /// How often a list is requested. Objects that only the last answer names are fetched by the next run.
    static let rounds = 3
    /// The most list members in memory at once.
    private static let batch = 5_000

    private var store: CatalogueStore { environment.store }

    /// - Parameter problems: the failures of the tree.
    /// - Throws: `CancellationError`, or the error that ended a fetch: ``SyncError``, ``StoreError``.
    func run(after problems: [Problem]) async throws -> Result {
        var result = Result(problems: ProblemList(problems))
        var seen: [Kind: Set<ExactText>] = [:]
        for round in 1...Self.rounds {
            let missing = environment.report.current.notFound
            let changed = environment.kinds.listed.filter { missing[$0] != seen[$0] }
            seen = missing
            for kind in changed {
                guard let relisted = try await relisted(of: kind, result.problems.problems) else { continue }
                let ids = missing[kind, default: []]
                result.settle(kind, try ids.subtracting(store.named(ids, in: relisted.url)))
                try await fetch(relisted, last: round == Self.rounds, &result)
            }
        }
        return result
    }

    /// A list that was requested again.
    private struct Relisted {
        let kind: Kind
        let url: String
        /// Objects that are not stored although this run tried to fetch them.
        let tried: Set<ExactText>
        /// Stored objects that only the new list names: they may have changed, so they are fetched again.
        let reappeared: Set<ExactText>
    }

    /// Requests a list; `nil` if the request failed, or if its answer was not applied in this run.
    private func relisted(of kind: Kind, _ problems: [Problem]) async throws -> Relisted? {
        let listing = ObjectListing(environment: environment, kind: kind), url = listing.name.url
        // The stored list of a pulled kind is from an earlier run: it doesn't show what this run tried to fetch.
        let isWalked = try isOfThisRun(url)
        var tried = Set(problems.filter { $0.kind == kind.name }.compactMap(\.id).map(ExactText.init))
        if isWalked { tried.formUnion(try store.absent(kind, in: url, limit: .max).map { ExactText($0.id) }) }
        let unnamed = isWalked ? try store.unlisted(kind, in: url) : []
        do {
            _ = try await listing.expand()
        } catch is HTTPError {
            return nil
        }
        guard try isOfThisRun(url) else { return nil }
        let reappeared = unnamed.isEmpty ? [] : unnamed.subtracting(try store.unlisted(kind, in: url))
        for id in reappeared { try await environment.applier.submit(.refetch(kind: kind, id: id.text)) }
        return Relisted(kind: kind, url: url, tried: tried, reappeared: reappeared)
    }

    /// Whether a list was applied or confirmed in this run.
    private func isOfThisRun(_ url: String) throws -> Bool {
        try store.listState(url)?.run == environment.run
    }

    // MARK: - Objects that only the new list names

    private func fetch(_ relisted: Relisted, last: Bool, _ result: inout Result) async throws {
        try await environment.applier.flush()
        var position: Int64 = -1
        while true {
            let members = try store.absent(
                relisted.kind, in: relisted.url, or: relisted.reappeared, after: position, limit: Self.batch)
            guard let end = members.last else { return }
            position = end.position
            let new = members.filter { !relisted.tried.contains(ExactText($0.id)) }
            guard !new.isEmpty else { continue }
            guard !last else { return result.problems.add(Self.changingList(relisted.kind)) }
            try await fetch(new, of: relisted.kind, &result)
        }
    }

    private func fetch(_ members: [ListedMember], of kind: Kind, _ result: inout Result) async throws {
        environment.session.cache?.forget(members.compactMap { environment.router.object(kind, $0.id) })
        let outcome = try await environment.fetch([kind: members.map(ObjectItem.init)])
        // Some of these were not found at first and are found now.
        result.settle(kind, Set(members.map { ExactText($0.id) }))
        result.problems += ProblemList(outcome.problems(environment.kinds), further: outcome.furtherFailures)
        result.outcomes.append(outcome)
    }

    private static func changingList(_ kind: Kind) -> Problem {
        Problem(
            what: "list", kind: kind.name, id: nil,
            message:
                "The list of \(kind.plural) changed each time it was requested. The next sync fetches its new objects."
        )
    }
}
