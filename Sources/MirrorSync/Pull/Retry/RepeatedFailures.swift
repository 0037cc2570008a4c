/// Counts what failed alike: the pull is not started over for ever because of a request that fails each time.
///
/// Two failures are alike if the same canonical URL answered the same status.
package struct RepeatedFailures: Sendable, Hashable {
    package enum Verdict: String, Sendable, Hashable {
        /// The loop, then the pull once more.
        case startsOver
        /// The run fails.
        case givesUp
    }

    /// Restarts after which the same failure ends the run.
    package static let restarts = 3
    /// Failures of all requests together: whatever the server thinks of next, the run ends.
    package static let most = 24

    private var counts: [FailedRequest: Int] = [:]
    private var sum = 0

    package init() {}

    /// Notes a failure that the loop is to be entered for.
    package mutating func note(_ failure: FailedRequest) -> Verdict {
        sum += 1
        counts[failure, default: 0] += 1
        return counts[failure, default: 0] > Self.restarts || sum > Self.most ? .givesUp : .startsOver
    }
}

/// A request that failed, as far as it tells two failures apart.
package struct FailedRequest: Sendable, Hashable {
    /// Canonical, relative to the base.
    package let url: String
    package let status: Int

    package init(url: String, status: Int) {
        self.url = url
        self.status = status
    }

    /// Without the query, for a message.
    var path: String { String(url.prefix { $0 != "?" }) }
}
