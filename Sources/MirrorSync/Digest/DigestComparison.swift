import Catalogue
import MirrorHTTP
import MirrorStore

/// Compares what is stored with what a server has by their digests (`digest` extension): one request where they are equal.
struct DigestComparison {
    let environment: SyncEnvironment
    let router: Router
    /// More requests than this are not sent: then the server's whole lists tell it sooner.
    let limit: Int

    struct Result {
        /// URLs that the mirror holds.
        var held = 0
        var requests = 0
        /// In the order of their URLs.
        var differences: [DigestDescent.Difference] = []
        /// Whether the server's catalogue changed meanwhile, so that what differs may be no more, and something else may.
        var hasMoved = false

        var isEqual: Bool { differences.isEmpty && !hasMoved }
    }

    enum Outcome {
        case compared(Result)
        /// Why they can't be, as the beginning of a sentence.
        case useless(String)
    }

    /// Requests at once.
    private static let width = 16
    private static let bodyLimit = 1 << 20

    /// - Throws: ``SyncError``, `HTTPError`, ``StoreError``.
    func run() async throws -> Outcome {
        var descent = DigestDescent(), result = Result()
        let store = environment.store, leaves = OriginLeaves(router)
        while !descent.questions.isEmpty {
            let questions = descent.next(environment.options.synchronous ? 1 : Self.width)
            guard result.requests + questions.count <= limit else {
                return .useless("The server differs in too much for its digest")
            }
            guard let answers = try await ask(questions) else {
                return .useless("The server has no digest")
            }
            result.requests += questions.count
            // Only now that the server has one: to make the own takes a look at everything.
            result.held = try store.digest(.root, from: leaves).summary.count
            for (question, answer) in zip(questions, answers) {
                try descent.take(
                    answer, to: question, mine: try store.digest(question.prefix, from: leaves),
                    leaves: { try store.digestLeaves($0, .origin) })
            }
        }
        // The partner's own lists say nothing that their members' URLs don't, and over `since` they are not read: so this side
        // leaves them out, whether or not the server does.
        let ownLists = store.kinds.listed.compactMap { router.list($0).listURL }
        result.differences = descent.differences.filter { $0.mine != nil || !ownLists.contains($0.url) }
            .sorted { UTF8Order.precedes($0.url, $1.url) }
        result.hasMoved = descent.hasMoved
        guard !result.differences.isEmpty else { return .compared(result) }
        let again = try await ask([.init(prefix: .root, expected: nil)])?.first
        result.requests += 1
        result.hasMoved = result.hasMoved || again?.hash != descent.root
        return .compared(result)
    }

    /// `nil` if the server doesn't offer its digest.
    private func ask(_ questions: [DigestDescent.Question]) async throws -> [DigestAnswer]? {
        do {
            return try await withThrowingTaskGroup(of: (Int, DigestAnswer).self) { group in
                for (index, question) in questions.enumerated() {
                    group.addTask { (index, try await node(question.prefix)) }
                }
                let answers = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                return questions.indices.compactMap { answers[$0] }
            }
        } catch let error as HTTPError where error.isNotOffered {
            return nil
        }
    }

    private func node(_ prefix: DigestPrefix) async throws -> DigestAnswer {
        let operation = ObjectOperation(
            router.digest(prefix: prefix.text), cache: .bypass, bodyLimit: Self.bodyLimit)
        guard let json = try await environment.send(operation).json else {
            throw SyncError(.badAnswer, "The server answered without its digest.")
        }
        do {
            return try DigestAnswer(json)
        } catch {
            throw SyncError(.badAnswer, error.message, cause: error)
        }
    }
}

/// Asks the server's digest whether its whole lists have to be looked at again.
///
/// A digest deletes nothing: where something differs that the server's own word on what changed doesn't explain, the lists
/// of that kind are looked at, and so they are on any doubt.
struct DigestAudit {
    let environment: SyncEnvironment
    let router: Router

    enum Verdict: Sendable, Hashable {
        /// The mirror holds what the server holds.
        case equal
        /// They differ in these objects, or in what is under them.
        case differs([Kind: Set<ExactText>])
        case doubt
    }

    /// Beyond so many requests, five lists tell it sooner.
    static let limit = 128

    func ask() async throws -> Verdict {
        let outcome: DigestComparison.Outcome
        do {
            outcome = try await DigestComparison(
                environment: environment, router: router, limit: Self.limit
            ).run()
        } catch is HTTPError {
            return .doubt
        } catch let error as SyncError where error.code != .storage {
            environment.logger.debug("The digest could not be taken: \(error)")
            return .doubt
        }
        guard case .compared(let result) = outcome, !result.hasMoved else { return .doubt }
        let pruned = try environment.store.prunedETags()
        return Self.verdict(
            on: DigestDifference.all(
                result.differences, router: router, among: environment.store.kinds, pruned: pruned))
    }

    static func verdict(on differences: [DigestDifference]) -> Verdict {
        var objects: [Kind: Set<ExactText>] = [:]
        for difference in differences {
            guard let owner = difference.owner else { return .doubt }
            // The partner and the user are asked for in every sync.
            if owner.kind.isListed { objects[owner.kind, default: []].insert(ExactText(owner.id)) }
        }
        return objects.isEmpty ? .equal : .differs(objects)
    }

    /// Whether what differs is just what the server says changed.
    static func explains(_ changes: PulledChanges, _ suspects: Set<ExactText>) -> Bool {
        suspects.subtracting(changes.members.map { ExactText($0.id) })
            .isSubset(of: changes.gone.map(ExactText.init))
    }
}
