import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// What follows a tree in which something was not found that the server had named: the list of its kind is requested again.
///
/// What is no longer named then is a deletion, and no failure. What is named only now, as an object that got another id
/// meanwhile, is fetched in this run: of a run that is called complete, all is here that its lists name. That may not be found
/// either, so there are ``rounds``.
struct RelistMissing {
    let environment: SyncEnvironment

    struct Result: Sendable {
        /// What a person has to know of.
        var problems: ProblemList
        /// What came of what was fetched.
        var outcomes: [OperationTree.Outcome] = []

        /// What failed of these is no failure any more.
        mutating func settle(_ kind: Kind, _ ids: Set<ExactText>) {
            problems.removeAll { problem in
                problem.kind == kind.name && problem.id.map { ids.contains(ExactText($0)) } == true
            }
        }
    }

    /// How often a list is requested; what only the last answer names, the next run fetches.
    static let rounds = 3
    /// How many objects are in memory at once.
    private static let batch = 5_000

    private var store: CatalogueStore { environment.store }

    /// - Parameter problems: of the tree.
    /// - Throws: `CancellationError`, or what ended the fetching: ``SyncError``, ``StoreError``.
    func run(after problems: [Problem]) async throws -> Result {
        var result = Result(problems: ProblemList(problems))
        var seen: [Kind: Set<ExactText>] = [:]
        for round in 1...Self.rounds {
            let missing = environment.report.current.notFound
            let news = environment.kinds.listed.filter { missing[$0] != seen[$0] }
            seen = missing
            for kind in news {
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
        /// What is not here, and was looked at all the same.
        let tried: Set<ExactText>
        /// What is here, and the list didn't name when the tree went over it: it may be another by now.
        let back: Set<ExactText>
    }

    /// Requests a list; `nil` if it did not come, or proves nothing.
    private func relisted(of kind: Kind, _ problems: [Problem]) async throws -> Relisted? {
        let listing = ObjectListing(environment: environment, kind: kind), url = listing.name.url
        // Of a kind that was pulled the list is from an earlier day, and tells nothing of what was looked at.
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
        let back = unnamed.isEmpty ? [] : unnamed.subtracting(try store.unlisted(kind, in: url))
        for id in back { try await environment.applier.submit(.refetch(kind: kind, id: id.text)) }
        return Relisted(kind: kind, url: url, tried: tried, back: back)
    }

    /// Whether a list was applied, or confirmed, in this run.
    private func isOfThisRun(_ url: String) throws -> Bool {
        try store.listState(url)?.run == environment.run
    }

    // MARK: - What is named only now

    private func fetch(_ relisted: Relisted, last: Bool, _ result: inout Result) async throws {
        try await environment.applier.flush()
        var place: Int64 = -1
        while true {
            let members = try store.absent(
                relisted.kind, in: relisted.url, or: relisted.back, after: place, limit: Self.batch)
            guard let end = members.last else { return }
            place = end.position
            let new = members.filter { !relisted.tried.contains(ExactText($0.id)) }
            guard !new.isEmpty else { continue }
            guard !last else { return result.problems.add(Self.unsteady(relisted.kind)) }
            try await fetch(new, of: relisted.kind, &result)
        }
    }

    private func fetch(_ members: [ListedMember], of kind: Kind, _ result: inout Result) async throws {
        environment.session.cache?.forget(members.compactMap { environment.router.object(kind, $0.id) })
        let outcome = try await environment.fetch([kind: members.map(ObjectItem.init)])
        // Not to be found at first, some are by now.
        result.settle(kind, Set(members.map { ExactText($0.id) }))
        result.problems += ProblemList(outcome.problems(environment.kinds), further: outcome.furtherFailures)
        result.outcomes.append(outcome)
    }

    private static func unsteady(_ kind: Kind) -> Problem {
        Problem(
            what: "list", kind: kind.name, id: nil,
            message:
                "The list of \(kind.plural) was another each time it was asked for. The next sync fetches what is new in it."
        )
    }
}
