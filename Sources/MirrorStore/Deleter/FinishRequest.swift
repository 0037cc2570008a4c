import Catalogue

/// What the end of a run asks of the store.
package struct FinishRequest: Sendable {
    package var run: Int64
    /// Whether the run walked the whole tree, or only some kinds.
    package var isWhole = true
    /// Whether anything may be swept at all: not on the first sync from a new origin.
    package var mayDelete = true
    package var limit = DeleteGuard.Limit.standard
    /// Whether a list under an object that had more than ``DeleteGuard/few`` members and is empty now waits for a whole sync: a
    /// watch looks at single objects and kinds, which don't tell whether that is meant.
    package var keepsEmptied = false
    /// Kinds whose own list was, in this run, complete and no older than the one last applied.
    package var kinds: Set<Kind> = []
    /// URLs of partner lists whose scope ended without a failed member or missing picture.
    package var clean: [String] = []
    /// URLs of lists whose members aren't all here, though the list itself was answered.
    package var unsettled: [String] = []
    /// What was listed and then not found, with the canonical URL that answered 404, for the evidence; documents under
    /// `owner's kind/owner's id/id`.
    package var notFound: [Kind: [String: String]] = [:]
    /// The picture formats that were wanted, separated by commas; `nil` if no media were.
    package var formats: String?
    /// Whether tiles were requested again that are stored and lost, though ``formats`` doesn't want any: in a repair.
    package var repairsTiles = false

    /// What the next pull asks with.
    package var since: [Since] = []
    /// Up to which event the partner's feed is covered, if what no list names was swept.
    package var cursor: String?
    /// Kinds of which the feed is followed from there though their list did not come: they are listed in full next.
    package var owed: Set<Kind> = []
    /// Kinds that are not owed any more.
    package var settled: Set<Kind> = []
    /// The partner's id, if this run took in a snapshot: what its end joins is a part of the one entry in the log.
    package var loaded: String?

    package init(run: Int64) { self.run = run }

    /// Up to when a kind is known, if this run ends well and what lists don't name was swept.
    package typealias Since = (kind: Kind, record: SinceRecord)
}

/// A list under an object that was left as it is, since it lacks what is here.
package struct HeldList: Sendable, Hashable {
    package let owner: Owner
    /// As in ``ListName``.
    package let name: String
    /// How many of those that it lacks the guard counts.
    package let losses: Int
}

/// What the end of a run did.
package struct FinishReport: Sendable {
    package var deleted: [Kind: Int] = [:]
    /// Objects of which only a list under them changed: they count as updated.
    package var updatedByList: [Kind: Set<String>] = [:]
    /// Locations with other artworks: a location itself stays what it is.
    package var relocated = 0
    /// What stopped the sweep; empty if nothing did.
    package var objections: [DeleteGuard.Intent] = []
    /// What was to go, objects and members of lists alike.
    package var intended = 0
    /// Albums that were edited here and are gone on the server.
    package var lostEdits: [String] = []
    /// Lists that lack members, and of which nothing was removed or joined.
    package var held: [HeldList] = []

    package init() {}
}

extension CatalogueStore {
    /// Ends a run: joins memberships, asks the guard, sweeps, prunes ghosts; all in one transaction.
    ///
    /// - Parameter check: called last in the transaction; where it throws, nothing was written.
    package func finish(_ request: FinishRequest, check: () throws -> Void = {}) throws -> FinishReport {
        try write { db in
            let log = try ChangeLog(self, db, run: request.run, isLoading: request.loaded != nil)
            let report = try Deleter(log: log, request: request).finish()
            if let partner = request.loaded { try LoadEntry(log: log, partner: partner).renew() }
            try check()
            return report
        }
    }
}
