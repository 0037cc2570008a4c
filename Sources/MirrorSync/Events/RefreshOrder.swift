import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops

/// Describes a run for a feed of events that can't report all changes: it lists only these kinds.
struct RefreshOrder: Sendable {
    let kinds: Set<Kind>
    /// Checked before the end of each transaction of the run.
    let ticket: CommitTicket
    /// The cursor to store after the run; `nil` for the feed's latest cursor before the first list. With only some kinds
    /// listed, the events about the other kinds are still to be read, so the cursor must not move.
    var cursor: String?
    /// Requests that failed in the same way in the sync before, and in the attempts of this refresh so far.
    var failures = RepeatedFailures()

    /// The result: whether the cursor may be stored, so that the feed is followed from there.
    struct Verdict: Sendable {
        /// The error because of which the refresh is tried again; `nil` if the cursor may be stored.
        var obstacle: (any Error)?
        /// Kinds whose list is incomplete and abandoned, so that the other kinds continue without it.
        var lacking: Set<Kind> = []
        /// The kinds in `lacking`, and kinds with another failed request: the next sync of all kinds must request their lists.
        var owed: Set<Kind> = []
        /// Requests that have failed in the same way so far.
        var failures: RepeatedFailures
    }

    /// Decides whether the cursor may be stored after a run.
    ///
    /// - An object that can't be stored doesn't prevent it: while a list names the object, each sync requests it.
    /// - A temporary failure or an incomplete list prevents it: the refresh is tried again.
    /// - A request that still fails in the same way after ``RepeatedFailures/restarts`` more attempts is abandoned, and no
    ///   longer prevents it.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the tree; `nil` if it did not run.
    ///   - later: the outcomes of the fetches after the tree (``RelistMissing``).
    func verdict(
        on outcome: OperationTree.Outcome?, _ later: [OperationTree.Outcome], _ environment: SyncEnvironment
    ) -> Verdict {
        let state = environment.report.current
        let outcomes = (outcome.map { [$0] } ?? []) + later
        let temporary = outcomes.flatMap(\.failures).filter {
            environment.kinds[ofNode: $0.node] != nil && !Self.nodesWithoutEvents.contains($0.node)
                && Self.isTemporary($0.error)
        }
        let lacking = kinds.filter { !Self.isListed($0, outcome, state) }
        var verdict = Verdict(failures: failures)
        let requests = temporary.map(Self.request) + lacking.map { Self.request(listing: $0, outcome) }
        if !requests.isEmpty { _ = verdict.failures.note(requests) }
        if let failure = temporary.first(where: { !verdict.failures.isAbandoned(Self.request($0)) }) {
            verdict.obstacle = failure.error
            return verdict
        }
        verdict.lacking = lacking.filter { verdict.failures.isAbandoned(Self.request(listing: $0, outcome)) }
        verdict.owed = verdict.lacking.union(temporary.compactMap { environment.kinds[ofNode: $0.node] })
        // If no kind's list is complete, the server itself fails, and the refresh is tried again.
        let isListed = verdict.lacking == lacking && lacking != Set(environment.kinds.listed)
        let isReported = outcomes.allSatisfy { $0.furtherFailures == 0 && $0.furtherIncompleteLists == 0 }
        if outcome == nil || !isListed || !isReported {
            verdict.obstacle = SyncError(
                .badAnswer, "The server did not answer all lists of the refresh. It is tried again later.")
        }
        return verdict
    }

    private static func isListed(
        _ kind: Kind, _ outcome: OperationTree.Outcome?, _ state: SyncReport.State
    ) -> Bool {
        if kind == .album, state.notSupported.contains("albums") { return true }
        // A list that was complete only at its second request doesn't prove that the tree fetched all of its objects.
        return state.complete.contains(kind)
            && outcome?.incompleteLists.contains { $0.node == kind.name } == false
    }

    private static func request(_ failure: OperationTree.Failure) -> FailedRequest {
        let error = failure.error as? HTTPError ?? (failure.error as? LastingFailure)?.cause as? HTTPError
        return FailedRequest(
            url: failure.item.map { "\(failure.node) \($0)" } ?? failure.list, status: error?.status)
    }

    /// The request of a kind's own list, which failed or was incomplete.
    private static func request(listing kind: Kind, _ outcome: OperationTree.Outcome?) -> FailedRequest {
        let failure = outcome?.failures.first { $0.kind == .list && $0.node == kind.name }
        return failure.map(request) ?? FailedRequest(url: kind.plural, status: nil)
    }

    /// Nodes whose names begin with a kind, but which no event concerns.
    private static let nodesWithoutEvents: Set<String> = [
        "user", "album edits", "album deletions", "document file",
    ]

    /// Whether an error is probably a temporary failure of the server or the network, and not one of the requested object.
    static func isTemporary(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPError:
            // A 500 that remains after the session's retries is typical of one object that the server can't process.
            (error.isWorthRetry && error.status != 500) || error.code == .tooManyRequests
        case let error as LastingFailure: isTemporary(error.cause)
        case let error as SyncError: error.cause.map(isTemporary) ?? (error.code == .unreachable)
        default: false
        }
    }
}

extension Kinds {
    /// All bits of a feed's `refresh` that belong to a known kind.
    var refreshMask: RefreshMask { RefreshMask(listed.compactMap(\.refreshBit)) }

    /// The kinds that a feed's `refresh` names; an unknown bit means all kinds.
    func named(by mask: RefreshMask) -> Set<Kind> {
        guard mask.resolved(knowing: refreshMask) != .everything else { return Set(listed) }
        return Set(listed.filter { $0.refreshBit.map(mask.contains) ?? false })
    }

    /// The kind whose objects, or the lists and files under them, a node fetches.
    fileprivate subscript(ofNode node: String) -> Kind? {
        node == "installation shots" ? .show : node.split(separator: " ").first.flatMap { self[String($0)] }
    }
}

extension Kind {
    fileprivate var refreshBit: RefreshMask? { eventsBit.map(RefreshMask.init(rawValue:)) }
}
