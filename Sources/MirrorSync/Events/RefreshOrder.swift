import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops

/// A run for a feed of events that can't report all changes any more: it lists these kinds and no others.
struct RefreshOrder: Sendable {
    let kinds: Set<Kind>
    /// Ends every transaction of the run.
    let ticket: CommitTicket
    /// Where the feed stands after the run; `nil`: where it stood before the first list. With only some kinds looked at,
    /// its events about the others are still to be read, so that it stays where it is.
    var cursor: String?
    /// What failed alike in the sync before, and in the tries of this refresh so far.
    var failures = RepeatedFailures()

    /// Whether the feed may be followed from where it stood before the run.
    struct Verdict: Sendable {
        /// What keeps it from that; `nil` if nothing does.
        var obstacle: (any Error)?
        /// Kinds whose list did not come, and which hold up the others no longer.
        var lacking: Set<Kind> = []
        /// These, and kinds of which something else did not come: a whole sync is to look at their lists.
        var owed: Set<Kind> = []
        /// What failed alike by now.
        var failures: RepeatedFailures
    }

    /// One bad object is no reason not to follow the feed: as long as it stands in its list and isn't here, a sync asks for
    /// it. What the server only failed to answer, and a list that didn't come whole, is one: with it, the refresh is tried
    /// again. What fails alike after ``RepeatedFailures/restarts`` more tries is abandoned, so that the rest is followed.
    ///
    /// - Parameters:
    ///   - outcome: of the tree; `nil` if it did not run.
    ///   - later: of what was fetched after it (``RelistMissing``).
    func verdict(
        on outcome: OperationTree.Outcome?, _ later: [OperationTree.Outcome], _ environment: SyncEnvironment
    ) -> Verdict {
        let state = environment.report.current
        let outcomes = (outcome.map { [$0] } ?? []) + later
        let passing = outcomes.flatMap(\.failures).filter {
            environment.kinds[ofNode: $0.node] != nil && !Self.beside.contains($0.node)
                && Self.mayPass($0.error)
        }
        let lacking = kinds.filter { !Self.isListed($0, outcome, state) }
        var verdict = Verdict(failures: failures)
        let requests = passing.map(Self.request) + lacking.map { Self.request(listing: $0, outcome) }
        if !requests.isEmpty { _ = verdict.failures.note(requests) }
        if let passing = passing.first(where: { !verdict.failures.isAbandoned(Self.request($0)) }) {
            verdict.obstacle = passing.error
            return verdict
        }
        verdict.lacking = lacking.filter { verdict.failures.isAbandoned(Self.request(listing: $0, outcome)) }
        verdict.owed = verdict.lacking.union(passing.compactMap { environment.kinds[ofNode: $0.node] })
        // A server that gives no list at all is in trouble as a whole.
        let isListed = verdict.lacking == lacking && lacking != Set(environment.kinds.listed)
        let isReported = outcomes.allSatisfy { $0.furtherFailures == 0 && $0.furtherIncompleteLists == 0 }
        if outcome == nil || !isListed || !isReported {
            verdict.obstacle = SyncError(
                .badAnswer, "The server did not give all lists that a refresh needs. It is tried again later."
            )
        }
        return verdict
    }

    private static func isListed(
        _ kind: Kind, _ outcome: OperationTree.Outcome?, _ state: SyncReport.State
    ) -> Bool {
        if kind == .album, state.notOffered.contains("albums") { return true }
        // A list that was complete only when it was requested again says nothing about the objects that the tree fetched.
        return state.complete.contains(kind)
            && outcome?.incompleteLists.contains { $0.node == kind.name } == false
    }

    private static func request(_ failure: OperationTree.Failure) -> FailedRequest {
        let error = failure.error as? HTTPError ?? (failure.error as? LastingFailure)?.cause as? HTTPError
        return FailedRequest(
            url: failure.item.map { "\(failure.node) \($0)" } ?? failure.list, status: error?.status)
    }

    /// A kind's own list, whether it failed or came incomplete.
    private static func request(listing kind: Kind, _ outcome: OperationTree.Outcome?) -> FailedRequest {
        let failure = outcome?.failures.first { $0.kind == .list && $0.node == kind.name }
        return failure.map(request) ?? FailedRequest(url: kind.plural, status: nil)
    }

    /// Nodes that are named after a kind, and about which there are no events.
    private static let beside: Set<String> = ["user", "album edits", "album deletions", "document file"]

    /// Whether a failure is more likely the server's or the network's than the requested object's.
    static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPError:
            // 500 is what a server answers that stumbles over one object; it was asked several times.
            (error.isWorthRetry && error.status != 500) || error.code == .tooManyRequests
        case let error as LastingFailure: mayPass(error.cause)
        case let error as SyncError: error.cause.map(mayPass) ?? (error.code == .unreachable)
        default: false
        }
    }
}

extension Kinds {
    /// The bits of a feed's `refresh` that are known one by one.
    var refreshMask: RefreshMask { RefreshMask(listed.compactMap(\.refreshBit)) }

    /// The kinds that a feed's `refresh` stands for; an unknown bit stands for all.
    func named(by mask: RefreshMask) -> Set<Kind> {
        guard mask.resolved(knowing: refreshMask) != .everything else { return Set(listed) }
        return Set(listed.filter { $0.refreshBit.map(mask.contains) ?? false })
    }

    /// The kind of the objects that a node fetches, or what is under them.
    fileprivate subscript(ofNode node: String) -> Kind? {
        node == "installation shots" ? .show : node.split(separator: " ").first.flatMap { self[String($0)] }
    }
}

extension Kind {
    fileprivate var refreshBit: RefreshMask? { eventsBit.map(RefreshMask.init(rawValue:)) }
}
