import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops

/// What a run does on behalf of a feed of events that knows too little: it lists these kinds, and looks at no other.
struct RefreshOrder: Sendable {
    let kinds: Set<ObjectKind>
    /// Ends every transaction of the run.
    let ticket: CommitTicket
    /// Where the feed stands after the run; `nil`: where it stood before the first list. With only some kinds looked at,
    /// what it tells of the others is still to be read, so that it stays where it is.
    var cursor: String?

    /// What keeps the feed from being followed from where it stood before the run; `nil` if nothing does.
    ///
    /// One bad object is no reason not to: as long as it stands in its list and isn't here, a sync asks for it. What the
    /// server only failed to answer is: with it, the refresh is tried again.
    ///
    /// - Parameters:
    ///   - outcome: of the tree; `nil` if it did not run.
    ///   - later: of what was fetched after it (``SecondLook``).
    func obstacle(
        in outcome: OperationTree.Outcome?, _ later: [OperationTree.Outcome], _ state: SyncReport.State
    ) -> (any Error)? {
        let outcomes = (outcome.map { [$0] } ?? []) + later
        let passing = outcomes.lazy.flatMap(\.failures).first {
            !Self.beside.contains($0.node) && Self.mayPass($0.error)
        }
        if let passing { return passing.error }
        let isListed = kinds.allSatisfy { kind in
            if kind == .album, state.notOffered.contains("albums") { return true }
            // One that came whole when it was asked for once more says nothing of what the tree looked at.
            return state.complete.contains(kind)
                && outcome?.incompleteLists.contains { $0.node == kind.rawValue } == false
        }
        let isTold = outcomes.allSatisfy { $0.furtherFailures == 0 && $0.furtherIncompleteLists == 0 }
        guard outcome != nil, isListed, isTold else {
            return SyncError(
                .badAnswer, "The server did not give all lists that a refresh needs. It is tried again later."
            )
        }
        return nil
    }

    /// What of a run no event tells of.
    private static let beside: Set<String> = [
        "estimate", "user", "metadata", "album edits", "album deletions", "image", "document file",
    ]

    /// Whether a failure says more of the server or the network than of the object that was asked for.
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

    /// The kinds that a mask stands for: 1 artworks, 2 shows, 4 albums, 8 locations, 16 artists.
    static func kinds(of mask: RefreshMask) -> Set<ObjectKind> {
        guard mask != .everything else { return Set(PersistingOrder.kinds) }
        return Set(bits.filter { mask.contains($0.bit) }.map(\.kind))
    }

    /// The bits that are known one by one.
    static let knownKinds = RefreshMask(bits.map(\.bit))

    private static let bits: [(bit: RefreshMask, kind: ObjectKind)] = [
        (RefreshMask(rawValue: 1), .artwork), (RefreshMask(rawValue: 2), .show),
        (RefreshMask(rawValue: 4), .album), (RefreshMask(rawValue: 8), .location),
        (RefreshMask(rawValue: 16), .artist),
    ]
}
