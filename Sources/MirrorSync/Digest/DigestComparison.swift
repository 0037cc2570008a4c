import Catalogue
import MirrorHTTP
import MirrorStore

/// Compares what is stored with what a server has by their digests (`digest` extension): one request where they are equal.
struct DigestComparison {
    let environment: SyncEnvironment
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
        case notOffered
        /// They differ in too much; after so many requests.
        case tooMany(requests: Int)
    }

    private var store: CatalogueStore { environment.store }
    private var leaves: OriginLeaves { OriginLeaves(environment.router) }
    private var ownLists: [String] {
        Kinds.standard.listed.compactMap { environment.router.list($0).listURL }
    }
    /// Requests at once.
    private static let width = 16
    private static let bodyLimit = 1 << 20

    /// - Throws: ``SyncError``, `HTTPError`, ``StoreError``.
    func run() async throws -> Outcome {
        var descent = DigestDescent(), result = Result()
        while !descent.questions.isEmpty {
            let questions = descent.next(Self.width)
            guard result.requests + questions.count <= limit else {
                return .tooMany(requests: result.requests)
            }
            guard let answers = try await ask(questions) else { return .notOffered }
            result.requests += questions.count
            // Only now that the server has one: to make the own takes a look at everything.
            result.held = try store.digest(.root, from: leaves).summary.count
            for (question, answer) in zip(questions, answers) {
                try descent.take(
                    answer, to: question, mine: try store.digest(question.prefix, from: leaves),
                    leaves: { try store.digestLeaves($0, .origin) })
            }
        }
        result.differences = descent.differences.filter { !isOwnList($0) }.sorted {
            UTF8Order.precedes($0.url, $1.url)
        }
        result.hasMoved = descent.hasMoved
        guard !result.differences.isEmpty else { return .compared(result) }
        let again = try await ask([.init(prefix: .root, expected: nil)])?.first
        result.requests += 1
        result.hasMoved = result.hasMoved || again.flatMap { [UInt8](hexadecimal: $0.hash) } != descent.root
        return .compared(result)
    }

    /// Whether it is one of the partner's own lists. They say nothing that their members' URLs don't, and over `since` they are
    /// not read: so this side leaves them out, whether or not the server does.
    private func isOwnList(_ difference: DigestDescent.Difference) -> Bool {
        difference.mine == nil && ownLists.contains(difference.url)
    }

    /// `nil` if the server doesn't offer its digest.
    private func ask(_ questions: [DigestDescent.Question]) async throws -> [DigestAnswer]? {
        do {
            guard questions.count > 1, !environment.options.synchronous else {
                var answers: [DigestAnswer] = []
                for question in questions { answers.append(try await node(question.prefix)) }
                return answers
            }
            return try await withThrowingTaskGroup(of: (Int, DigestAnswer).self) { group in
                for (index, question) in questions.enumerated() {
                    group.addTask { (index, try await node(question.prefix)) }
                }
                var answers: [Int: DigestAnswer] = [:]
                for try await (index, answer) in group { answers[index] = answer }
                return questions.indices.compactMap { answers[$0] }
            }
        } catch let error as HTTPError where error.isNotOffered {
            return nil
        }
    }

    private func node(_ prefix: DigestPrefix) async throws -> DigestAnswer {
        let operation = FetchOperation(
            environment.router.digest(prefix: prefix.text), cache: .bypass, bodyLimit: Self.bodyLimit)
        guard case .body(let response) = try await environment.send(operation) else {
            throw SyncError(.badAnswer, "The server answered without its digest.")
        }
        do {
            return try DigestAnswer(response.jsonObject())
        } catch let error as PayloadError {
            throw SyncError(.badAnswer, error.message, cause: error)
        }
    }
}
