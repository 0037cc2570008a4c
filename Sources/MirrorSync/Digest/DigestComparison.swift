import Catalogue
import MirrorHTTP
import MirrorStore

/// Compares the mirror with the server by their digests (`digest` extension). If they are equal, that takes one request.
struct DigestComparison {
    let environment: SyncEnvironment
    let router: Router
    /// The most requests. If more are needed, requesting the server's full lists is faster.
    let limit: Int

    struct Result {
        /// The number of URLs in the mirror's digest.
        var held = 0
        var requests = 0
        /// Sorted by URL.
        var differences: [DigestDescent.Difference] = []
        /// Whether the server's catalogue changed during the comparison, so that `differences` may be wrong and incomplete.
        var hasMoved = false

        var isEqual: Bool { differences.isEmpty && !hasMoved }
    }

    enum Outcome {
        case compared(Result)
        /// The digests can't be compared. The text is the reason, as the beginning of a sentence.
        case useless(String)
    }

    /// The number of concurrent requests.
    private static let width = 16
    private static let bodyLimit = 1 << 20

    /// Compares the digests from the root down.
    ///
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
            // Computing the mirror's digest reads all of its rows, so that is done only after the server has answered.
            result.held = try store.digest(.root, from: leaves).summary.count
            for (question, answer) in zip(questions, answers) {
                try descent.take(
                    answer, to: question, mine: try store.digest(question.prefix, from: leaves),
                    leaves: { try store.digestLeaves($0, .origin) })
            }
        }
        // The URLs of the partner's own lists add nothing to the URLs of their members, and a sync by `since` doesn't read
        // those lists. So the mirror's digest leaves them out, and they are ignored in the server's.
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

    /// The server's answers, in the order of the questions; `nil` if the server doesn't offer its digest.
    private func ask(_ questions: [DigestDescent.Question]) async throws -> [DigestAnswer]? {
        do {
            return try await withThrowingTaskGroup(of: (Int, DigestAnswer).self) { group in
                for (index, question) in questions.enumerated() {
                    group.addTask { (index, try await node(question.prefix)) }
                }
                let answers = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                return questions.indices.compactMap { answers[$0] }
            }
        } catch let error as HTTPError where error.isNotSupported {
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

/// Decides by the server's digest whether its full lists have to be compared (an audit).
///
/// A digest never deletes anything. If there is a difference that the changes reported by the server don't explain, the full
/// lists of that kind are compared. If the digest proves nothing, those of all kinds are.
struct DigestAudit {
    let environment: SyncEnvironment
    let router: Router

    enum Verdict: Sendable, Hashable {
        /// The mirror and the server are equal.
        case equal
        /// They differ in these objects, or in their lists or documents.
        case differs([Kind: Set<ExactText>])
        /// The digest proves nothing.
        case doubt
    }

    /// If more requests are needed, requesting the full lists of five kinds is faster.
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
            // The partner and the user are requested in every sync, so their differences need no audit.
            if owner.kind.isListed { objects[owner.kind, default: []].insert(ExactText(owner.id)) }
        }
        return objects.isEmpty ? .equal : .differs(objects)
    }

    /// Whether the server reported a change, or a deletion, of every object that differs.
    static func explains(_ changes: PulledChanges, _ suspects: Set<ExactText>) -> Bool {
        suspects.subtracting(changes.members.map { ExactText($0.id) })
            .isSubset(of: changes.gone.map(ExactText.init))
    }
}
