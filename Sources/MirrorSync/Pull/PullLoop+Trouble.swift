import MirrorHTTP
import MirrorStore
import OperationTree

/// What is done about a server in trouble: whether it is waited for, and how long.
extension PullLoop {
    func waiting() throws -> ServerWait {
        guard let wait else { throw SyncError(.badAnswer, "The partner was not asked for yet.") }
        return wait
    }

    mutating func delay(_ kind: RetryDelay.Kind) async throws -> PullResult {
        let wait = try waiting()
        switch try await wait.wait(kind) {
        case .waited: return .waited
        case .budgetSpent:
            failure = trouble.map { wait.failure(.budgetSpent, of: $0) }
            return .tooLong
        }
    }

    /// Whether a failed list is waited for.
    ///
    /// - Throws: what ends the run, where waiting would be of no use.
    mutating func isTrouble(_ error: any Error, url: String, _ subject: RetryWorthiness.Subject)
        throws -> Bool
    {
        let worthiness = try RetryWorthiness(
            hasStatus: known().extensions.contains("status"), failsFast: environment.options.failFast)
        switch worthiness.verdict(on: error, of: subject) {
        case .fails: return false
        case .ends(let error):
            // A list that doesn't come while others do makes the run partial.
            if subject == .list, (error.cause as? HTTPError)?.status == nil { return false }
            throw error
        case .waits(let status):
            let request = FailedRequest(url: url, status: status)
            trouble = request
            guard failures.note(request) == .startsOver else {
                throw try waiting().failure(.repeated, of: request)
            }
            return true
        }
    }

    /// Whether a list of the tree failed so that the server is waited for. A list under an object may fail by itself,
    /// as when the object has just gone, so that for these only what is plainly the server's trouble counts.
    mutating func isInTrouble(_ outcome: OperationTree.Outcome) throws -> Bool {
        for failure in outcome.failures where failure.kind == .list {
            let isOwn = ObjectKind(rawValue: failure.node) != nil
            let status = (failure.error as? HTTPError)?.status ?? 0
            guard isOwn || status >= 500 || status == 429 else { continue }
            if try isTrouble(failure.error, url: failure.list, .list) { return true }
        }
        return false
    }
}
