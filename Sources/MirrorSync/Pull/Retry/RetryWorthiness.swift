import Catalogue
import MirrorHTTP

/// Decides what a request's failure means for a run: wait for the server, end, or go on without.
///
/// | failure | verdict |
/// |---|---|
/// | 401; 403 `credentials_expired`; 418 | ends the run |
/// | no such host: offline, or another address | ends the run |
/// | 400 `since_too_old`; 400 of the partner | means something else |
/// | no answer | the retry loop, where there may be one; else ends the run |
/// | 5xx, 400, 402, 403, 413, 429 | the retry loop, where there may be one |
/// | any other, such as 404 and 410 | fails |
struct RetryWorthiness: Sendable, Hashable {
    /// What was asked for.
    enum Subject: String, Sendable, Hashable, CaseIterable {
        case partner, list, since
    }

    enum Verdict: Sendable {
        /// The retry loop; with what the server answered, or `nil` if it didn't.
        case waits(status: Int?)
        /// The run ends with that.
        case ends(SyncError)
        /// The failure is what it is: whoever asked knows what it means.
        case fails
    }

    /// Whether the server has the `status` extension: without it there is nothing to ask while waiting.
    let hasStatus: Bool
    /// Whether waiting is not wanted (`--fail-fast`).
    var failsFast = false

    private var mayWait: Bool { hasStatus && !failsFast }

    /// What a failure means that the session gave up on.
    func verdict(on error: any Error, of subject: Subject) -> Verdict {
        guard let error = Self.httpError(error) else { return .fails }
        // A host that is held back for longer than a request may wait was last heard of with a 429 or its like.
        guard let status = error.status ?? (error.code == .tooManyRequests ? 429 : nil) else {
            // A body that can't be decoded is an answer: what it was asked for fails, and nothing else.
            guard error.isWorthRetry, error.code != .badResponse else { return .fails }
            // Nobody is there to be waited for: the computer is offline, or the address is wrong.
            let isNowhere = (error.cause as? TransportError)?.code == .cannotResolveHost
            return mayWait && !isNowhere ? .waits(status: nil) : .ends(SyncError(error))
        }
        if error.code == .notAuthorised || status == 401 || status == 418 { return .ends(SyncError(error)) }
        if status == 400, subject == .partner || error.reason == Self.sinceTooOld { return .fails }
        // Statuses that say "not now", or that a server in trouble is known to answer.
        let isTrouble = (500...599).contains(status) || [400, 402, 403, 413, 429].contains(status)
        return mayWait && isTrouble ? .waits(status: status) : .fails
    }

    static let sinceTooOld = "since_too_old"

    /// The answer in an error, however it was wrapped.
    private static func httpError(_ error: any Error) -> HTTPError? {
        switch error {
        case let error as HTTPError: error
        case let error as SyncError: error.cause.flatMap(httpError)
        case let error as LastingFailure: httpError(error.cause)
        default: nil
        }
    }
}

/// Counts what failed alike: the pull does not start over for ever because of a request that fails each time.
///
/// Two failures are alike if the same canonical URL answered the same status, or gave no answer both times. Each has a
/// count of its own, so that one list that fails for ever does not use up the restarts of another. Objects that fail one after
/// the other, whichever they are, have restarts of their own.
struct RepeatedFailures: Sendable, Hashable {
    /// Restarts after which a request that fails alike is abandoned.
    static let restarts = 3
    /// Restarts for all requests together: after them, every request that fails is abandoned.
    static let most = 24
    /// Restarts because of objects while they make no progress, and in all.
    static let objectRestarts = 3, mostObjectRestarts = 6

    private var counts: [FailedRequest: Int] = [:]
    private var sum = 0
    private var stuckObjects = 0, objects = 0

    /// Notes what failed in one try of everything.
    ///
    /// - Returns: whether the pull starts over, for which one request that is not abandoned yet is enough; else everything
    ///   but these requests goes on.
    mutating func note(_ failures: [FailedRequest]) -> Bool {
        let failures = Set(failures)
        sum += 1
        for failure in failures { counts[failure, default: 0] += 1 }
        return !failures.allSatisfy(isAbandoned)
    }

    /// Whether a request failed alike after all its restarts.
    func isAbandoned(_ failure: FailedRequest) -> Bool {
        counts[failure, default: 0] > Self.restarts || sum > Self.most
    }

    /// Notes that the walk starts over because of objects.
    ///
    /// - Parameter isProgress: whether enough of them were answered before.
    mutating func noteObjects(isProgress: Bool) {
        stuckObjects = isProgress ? 1 : stuckObjects + 1
        objects += 1
    }

    /// Whether the walk may start over because of objects that fail now.
    var mayStartOverForObjects: Bool {
        stuckObjects < Self.objectRestarts && objects < Self.mostObjectRestarts
    }

    /// Gives all requests their restarts back but those that are abandoned.
    func keepingAbandoned() -> RepeatedFailures {
        var kept = RepeatedFailures()
        kept.counts = counts.filter { $0.value > Self.restarts }
        return kept
    }
}

/// A request that failed, as far as it tells two failures apart.
struct FailedRequest: Sendable, Hashable {
    /// Canonical, relative to the base.
    let url: String
    /// `nil` where no answer came.
    let status: Int?

    /// Without the query, for a message.
    var path: String { String(url.prefix { $0 != "?" }) }

    /// What came of it, for a message about the server.
    var outcome: String { "\(status.map { "answered \($0)" } ?? "gave no answer") for \(path)" }
}
