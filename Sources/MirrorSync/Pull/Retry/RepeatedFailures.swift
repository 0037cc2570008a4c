/// Counts what failed alike: the pull does not start over for ever because of a request that fails each time.
///
/// Two failures are alike if the same canonical URL answered the same status, or gave no answer both times. Each has a
/// count of its own, so that one list that fails for ever does not use up the restarts of another. Objects that fail one after
/// the other, whichever they are, have restarts of their own.
package struct RepeatedFailures: Sendable, Hashable {
    package enum Verdict: String, Sendable, Hashable {
        /// The loop, then the pull again.
        case startsOver
        /// All these requests are abandoned: everything else goes on.
        case givesUp
    }

    /// Restarts after which a request that fails alike is abandoned.
    package static let restarts = 3
    /// Restarts for all requests together: after them, every request that fails is abandoned.
    package static let most = 24
    /// Restarts because of objects while they make no progress, and in all.
    package static let objectRestarts = 3, mostObjectRestarts = 6

    private var counts: [FailedRequest: Int] = [:]
    private var sum = 0
    private var stuckObjects = 0, objects = 0

    package init() {}

    /// Notes a failure that the loop is to be entered for.
    package mutating func note(_ failure: FailedRequest) -> Verdict { note([failure]) }

    /// Notes what failed in one try of everything. One request that is not abandoned yet is enough to start over.
    package mutating func note(_ failures: [FailedRequest]) -> Verdict {
        let failures = Set(failures)
        sum += 1
        for failure in failures { counts[failure, default: 0] += 1 }
        return failures.allSatisfy(isAbandoned) ? .givesUp : .startsOver
    }

    /// Whether a request failed alike after all its restarts.
    package func isAbandoned(_ failure: FailedRequest) -> Bool {
        counts[failure, default: 0] > Self.restarts || sum > Self.most
    }

    /// Notes that the walk starts over because of objects.
    ///
    /// - Parameter isProgress: whether enough of them were answered before.
    package mutating func noteObjects(isProgress: Bool) {
        stuckObjects = isProgress ? 1 : stuckObjects + 1
        objects += 1
    }

    /// Whether the walk may start over because of objects that fail now.
    package var mayStartOverForObjects: Bool {
        stuckObjects < Self.objectRestarts && objects < Self.mostObjectRestarts
    }

    /// Gives all requests their restarts back but those that are abandoned.
    package func keepingAbandoned() -> RepeatedFailures {
        var kept = RepeatedFailures()
        kept.counts = counts.filter { $0.value > Self.restarts }
        return kept
    }
}

/// A request that failed, as far as it tells two failures apart.
package struct FailedRequest: Sendable, Hashable {
    /// Canonical, relative to the base.
    package let url: String
    /// `nil` where no answer came.
    package let status: Int?

    package init(url: String, status: Int?) {
        self.url = url
        self.status = status
    }

    /// Without the query, for a message.
    var path: String { String(url.prefix { $0 != "?" }) }

    /// What came of it, for a message about the server.
    var outcome: String { "\(status.map { "answered \($0)" } ?? "gave no answer") for \(path)" }
}
