import MirrorHTTP
import MirrorStore
import OperationTree
import PartnerAPI

/// What follows a tree in which something was not found that a list named: its list is asked for once more.
///
/// What is no longer named then is a deletion, and no failure. What is named only now, as an object that got another id
/// meanwhile, is fetched in this run: of a run that is called complete, all is here that its lists name. That may not be found
/// either, so there are ``rounds``.
struct SecondLook {
    let scope: PartnerScope

    /// What a person has to know of.
    struct Result: Sendable {
        var problems: [Problem]
        var furtherProblems = 0

        var isClean: Bool { problems.isEmpty && furtherProblems == 0 }
    }

    /// So many times a list is asked for; what only the last one names, the next run fetches.
    static let rounds = 3

    private var environment: SyncEnvironment { scope.environment }
    private var store: CatalogueStore { environment.store }

    /// - Parameter problems: of the tree.
    /// - Throws: `CancellationError`, or what ended the tree's run: ``SyncError``, ``StoreError``.
    func run(after problems: [Problem]) async throws -> Result {
        var result = Result(problems: problems)
        var gone: [String: Set<String>] = [:]
        var seen: [ObjectKind: Set<String>] = [:]
        for round in 1...Self.rounds {
            let missing = environment.report.current.notFound.filter { seen[$0] != $1 }
            seen = environment.report.current.notFound
            var added: [ObjectKind: [GivenItem]] = [:]
            for (kind, ids) in missing.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let url = KindListing(scope: scope, kind: kind).name.url
                guard let named = try await namedOnlyNow(kind, in: url) else { continue }
                gone[kind.rawValue] = try ids.filter { try !store.isListed($0, in: url) }
                if !named.isEmpty { added[kind] = named }
            }
            guard !added.isEmpty else { break }
            guard round < Self.rounds else {
                result.problems += added.keys.map(Self.unsteady)
                break
            }
            try await fetch(added, &result)
        }
        try await environment.applier.flush()
        result.problems.removeAll { problem in
            guard let kind = problem.kind, let id = problem.id else { return false }
            return gone[kind]?.contains(id) == true
        }
        return result
    }

    /// Asks for a list, and tells which of its members nobody has looked at in this run; `nil` if it didn't come.
    private func namedOnlyNow(_ kind: ObjectKind, in url: String) async throws -> [GivenItem]? {
        let unnamed = Set(try store.unlisted(kind, in: url).map(ExactText.init))
        let absent = Set(try store.absent(kind, in: url).map { ExactText($0.id) })
        do {
            _ = try await KindListing(scope: scope, kind: kind).expand()
        } catch is HTTPError {
            return nil
        }
        // It may be another than the one that is here under that id.
        let back = unnamed.subtracting(try store.unlisted(kind, in: url).map(ExactText.init))
        for id in back { try await environment.applier.submit(.refetch(kind: kind, id: id.text)) }
        return try store.absent(kind, in: url, or: back.map(\.text)).compactMap { member in
            guard !absent.contains(ExactText(member.id)) else { return nil }
            return GivenItem(
                id: member.id, listedETag: member.etag, lists: try member.lists.map(MemberTriage.read))
        }
    }

    private func fetch(_ items: [ObjectKind: [GivenItem]], _ result: inout Result) async throws {
        let outcome = await GhostTree.run(items, in: scope)
        try await environment.applier.flush()
        if outcome.isCancelled { throw CancellationError() }
        if let error = outcome.error { throw error }
        result.problems += SyncEnding.problems(of: outcome)
        result.furtherProblems += outcome.furtherFailures
    }

    private static func unsteady(_ kind: ObjectKind) -> Problem {
        Problem(
            what: "list", kind: kind.rawValue, id: nil,
            message:
                "The list of \(kind.rawValue)s was another each time it was asked for. The next sync fetches what is new in it."
        )
    }
}
