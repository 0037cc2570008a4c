import Catalogue
import MirrorHTTP

/// Decides what a failed request means for a run: wait for the server, end, or continue without the answer.
///
/// | failure | verdict |
/// |---|---|
/// | 401; 403 `credentials_expired`; 418 | the run ends |
/// | the host can't be resolved: the computer is offline, or the address is wrong | the run ends |
/// | 400 `since_too_old`; 400 for the partner | only this request fails; the caller handles it |
/// | no answer, for a reason that may be temporary | the run waits, if it may wait; else it ends |
/// | 5xx, 400, 402, 403, 413, 429 | the run waits, if it may wait; else only this request fails |
/// | any other, such as 404, 410 and an untrusted certificate | only this request fails |
struct RetryRule: Sendable, Hashable {
    /// What was requested.
    enum Subject: String, Sendable, Hashable, CaseIterable {
        case partner, list, since
    }

    enum Verdict: Sendable {
        /// The run waits in the retry loop. `status` is the answer's; `nil` if there was no answer.
        case waits(status: Int?)
        /// The run ends with this error.
        case ends(SyncError)
        /// Only the request fails; the caller handles the error.
        case fails
    }

    /// Whether the server has the `status` extension. Without it, the run can't find out when the server works again.
    let hasStatus: Bool
    /// Whether the run never waits (`--fail-fast`).
    var failsFast = false

    private var mayWait: Bool { hasStatus && !failsFast }

    /// Decides about an error that remains after the session's own retries.
    func verdict(on error: any Error, of subject: Subject) -> Verdict {
        guard let error = Self.httpError(error) else { return .fails }
        // The session refuses a request if the server's last `Retry-After` is longer than the request may wait.
        guard let status = error.status ?? (error.code == .tooManyRequests ? 429 : nil) else {
            // An undecodable body is an answer, so only this request fails.
            guard error.isWorthRetry, error.code != .badResponse else { return .fails }
            // There is no server to wait for: the computer is offline, or the address is wrong.
            let isUnknownHost = (error.cause as? TransportError)?.code == .cannotResolveHost
            return mayWait && !isUnknownHost ? .waits(status: nil) : .ends(SyncError(error))
        }
        if error.code == .notAuthorised || status == 401 || status == 418 { return .ends(SyncError(error)) }
        if status == 400, subject == .partner || error.reason == Self.sinceTooOld { return .fails }
        // These statuses mean "not now", or are known to be sent by failing servers.
        let mayBeTemporary = (500...599).contains(status) || [400, 402, 403, 413, 429].contains(status)
        return mayWait && mayBeTemporary ? .waits(status: status) : .fails
    }

    static let sinceTooOld = "since_too_old"

    /// The HTTP error, which may be wrapped in other errors.
    private static func httpError(_ error: any Error) -> HTTPError? {
        switch error {
        case let error as HTTPError: error
        case let error as SyncError: error.cause.flatMap(httpError)
        case let error as LastingFailure: httpError(error.cause)
        default: nil
        }
    }
}

/// Counts repeated failures, so that a run doesn't start over endlessly because of a request that always fails.
///
/// Two failures are equal if they have the same URL, and the same status or both no answer. Each has a separate count,
/// so that a list that always fails doesn't use up the restarts of another list. Restarts because of failing objects are
/// counted separately.
struct RepeatedFailures: Sendable, Hashable {
    /// The number of restarts after which a request that fails in the same way is abandoned.
    static let restarts = 3
    /// The number of restarts because of any requests, after which every failing request is abandoned.
    static let most = 24
    /// The number of restarts because of objects: without progress between them, and in total.
    static let objectRestarts = 3, mostObjectRestarts = 6

    private var counts: [FailedRequest: Int] = [:]
    private var sum = 0
    private var stuckObjects = 0, objects = 0

    /// Notes all requests that failed in one attempt of the run.
    ///
    /// - Returns: whether the run starts over: at least one of the requests is not abandoned yet. If not, the run continues
    ///   without these requests.
    mutating func note(_ failures: [FailedRequest]) -> Bool {
        let failures = Set(failures)
        sum += 1
        for failure in failures { counts[failure, default: 0] += 1 }
        return !failures.allSatisfy(isAbandoned)
    }

    /// Whether no restart is left for a request that failed in this way.
    func isAbandoned(_ failure: FailedRequest) -> Bool {
        counts[failure, default: 0] > Self.restarts || sum > Self.most
    }

    /// Notes that the walk of the tree starts over because of failing objects.
    ///
    /// - Parameter isProgress: whether many objects were received before the failures.
    mutating func noteObjects(isProgress: Bool) {
        stuckObjects = isProgress ? 1 : stuckObjects + 1
        objects += 1
    }

    /// Whether the walk may start over if objects fail now.
    var mayStartOverForObjects: Bool {
        stuckObjects < Self.objectRestarts && objects < Self.mostObjectRestarts
    }

    /// A copy that keeps only the requests that used up their own restarts; all others get their restarts back.
    func keepingAbandoned() -> RepeatedFailures {
        var kept = RepeatedFailures()
        kept.counts = counts.filter { $0.value > Self.restarts }
        return kept
    }
}

/// The URL and status of a failed request; two failures are equal if both are.
struct FailedRequest: Sendable, Hashable {
    /// The canonical URL, relative to the base.
    let url: String
    /// The answer's status; `nil` without an answer.
    let status: Int?

    /// The URL without its query, for messages.
    var path: String { String(url.prefix { $0 != "?" }) }

    /// The predicate of a message whose subject is the server: `answered 503 for /partner/p`.
    var outcome: String { "\(status.map { "answered \($0)" } ?? "gave no answer") for \(path)" }
}
