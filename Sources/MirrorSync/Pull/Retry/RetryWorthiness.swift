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
package struct RetryWorthiness: Sendable, Hashable {
    /// What was asked for.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        case partner, list, since
        /// An object, a picture, a list under an object: it fails by itself, and the rest goes on.
        case other
    }

    package enum Verdict: Sendable {
        /// The retry loop; with what the server answered, or `nil` if it didn't.
        case waits(status: Int?)
        /// The run ends with that.
        case ends(SyncError)
        /// The failure is what it is: whoever asked knows what it means.
        case fails
    }

    /// Whether the server has the `status` extension: without it there is nothing to ask while waiting.
    package let hasStatus: Bool
    /// Whether waiting is not wanted (`--fail-fast`).
    package let failsFast: Bool
    package let isDryRun: Bool

    package init(hasStatus: Bool, failsFast: Bool = false, isDryRun: Bool = false) {
        self.hasStatus = hasStatus
        self.failsFast = failsFast
        self.isDryRun = isDryRun
    }

    private var mayWait: Bool { hasStatus && !failsFast && !isDryRun }

    /// What a failure means that the session gave up on.
    package func verdict(on error: any Error, of subject: Subject) -> Verdict {
        guard let error = Self.httpError(error), subject != .other else { return .fails }
        guard let status = Self.status(of: error) else {
            // A body that can't be decoded is an answer: what it was asked for fails, and nothing else.
            guard error.isWorthRetry, error.code != .badResponse else { return .fails }
            return mayWait && !Self.isNowhere(error) ? .waits(status: nil) : .ends(SyncError(error))
        }
        if error.code == .notAuthorised || Self.isFinal(status) { return .ends(SyncError(error)) }
        if Self.meansElse(status, reason: error.reason, of: subject) { return .fails }
        return mayWait && Self.isTrouble(status) ? .waits(status: status) : .fails
    }

    /// Statuses that say "not now", or that a server in trouble is known to answer.
    package static func isTrouble(_ status: Int) -> Bool {
        switch status {
        case 500...599, 400, 402, 403, 413, 429: true
        default: false
        }
    }

    /// Statuses that another try would only repeat.
    package static func isFinal(_ status: Int) -> Bool { status == 401 || status == 418 }

    package static let sinceTooOld = "since_too_old"

    private static func meansElse(_ status: Int, reason: String?, of subject: Subject) -> Bool {
        if status == 400, reason == sinceTooOld { return true }
        return subject == .partner && status == 400
    }

    /// Nobody is there to be waited for: the computer is offline, or the address is wrong.
    private static func isNowhere(_ error: HTTPError) -> Bool {
        (error.cause as? TransportError)?.code == .cannotResolveHost
    }

    /// A host that is held back for longer than a request may wait was last heard of with a 429 or its like.
    private static func status(of error: HTTPError) -> Int? {
        error.status ?? (error.code == .tooManyRequests ? 429 : nil)
    }

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
