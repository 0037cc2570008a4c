import Catalogue

/// The data of a run that its end needs.
package struct FinishRequest: Sendable {
    /// The run's number.
    package var run: Int64
    /// Whether the run covered the whole tree; `false` for some kinds only. Default: `true`.
    package var coversAllKinds = true
    /// Whether the run may delete; `false` for the first sync from a new origin. Default: `true`.
    package var mayDelete = true
    /// The delete guard's limit.
    package var limit = DeleteGuard.Limit.standard
    /// Whether lists under objects that would lose all of more than ``DeleteGuard/alwaysAllowed`` members are left unchanged
    /// until a sync of the whole mirror. Default: `false`.
    ///
    /// A watch sets it: it requests single objects and kinds, which is too little to tell whether the deletions are intended.
    package var keepsEmptied = false
    /// Kinds whose own list was complete in this run, and not older than the one applied before.
    package var kinds: Set<Kind> = []
    /// Kinds whose objects are removed only after several lists lacked them; all others, when one list lacks them.
    ///
    /// Call ``CatalogueStore/countAbsences(_:run:)`` before the end of the run.
    package var absences: [Kind: AbsenceRule] = [:]
    /// Objects that a complete list of their kind reported as deleted. Not for kinds in ``kinds``.
    package var signalled: [Kind: Set<ExactText>] = [:]
    /// Kinds that are gathered from artworks: objects that nothing refers to any more are removed. Not in ``kinds``.
    package var gathered: Set<Kind> = []
    /// Whether artworks say at which location they are (``ObjectRecord/Parts/place``), so that locations have no lists of
    /// artworks.
    package var joinsPlaces = false
    /// URLs of partner lists whose scope ended without a failed member or missing picture.
    package var clean: [String] = []
    /// URLs of lists that were answered, but whose members could not all be stored.
    package var unsettled: [String] = []
    /// Listed objects that were not found, with the canonical URL that answered 404, for the evidence.
    ///
    /// The key is the id; for documents it is `owner's kind/owner's id/id`.
    package var notFound: [Kind: [String: String]] = [:]
    /// The media that were wanted (``CatalogueStore/mediaKey(formats:tiles:)``); `nil` if none were.
    package var formats: String?
    /// Whether lost tiles were requested again, for a repair, although ``formats`` doesn't include tiles. Default: `false`.
    package var repairsTiles = false

    /// The dates for the next requests of changes, by kind.
    package var since: [Since] = []
    /// The last event of the partner's feed that this run covers. It is stored if the run sweeps.
    package var cursor: String?
    /// Kinds whose list could not be fetched, although the feed continues after ``cursor``. The next sync lists them in full.
    package var toListAgain: Set<Kind> = []
    /// Kinds that no longer have to be listed in full.
    package var listedAgain: Set<Kind> = []
    /// The partner's id, if this run loaded a snapshot. Then the snapshot's single log entry covers the changes at its end.
    package var snapshotPartner: String?

    package init(run: Int64) { self.run = run }

    /// A kind, and the date up to which its changes are known if this run completes and sweeps.
    package typealias Since = (kind: Kind, record: SinceRecord)
}

/// A list under an object from which nothing was removed, although it no longer contains all of its stored members.
package struct UnappliedList: Sendable, Hashable {
    package let owner: Owner
    /// As in ``ListName``.
    package let name: String
    /// The number of its losses that the delete guard counts.
    package let losses: Int
}

/// The result of the end of a run.
package struct FinishReport: Sendable {
    /// The number of deleted objects by kind.
    package var deleted: [Kind: Int] = [:]
    /// The ids of objects of which only a list changed. They count as updated.
    package var updatedByList: [Kind: Set<String>] = [:]
    /// The number of locations whose artworks changed. They don't count as updated.
    package var relocated = 0
    /// The intents that stopped the sweep; empty if it wasn't stopped.
    package var objections: [DeleteGuard.Intent] = []
    /// The number of deletions that the sweep would make, objects and members together.
    package var intended = 0
    /// The ids of albums with local edits that the server deleted.
    package var lostEdits: [String] = []
    /// Lists that no longer contain all stored members, and that were not applied.
    package var unapplied: [UnappliedList] = []

    package init() {}
}

extension CatalogueStore {
    /// Ends a run in one transaction: joins memberships, checks the delete guard, sweeps, and prunes ghosts.
    ///
    /// - Parameter check: called last in the transaction; if it throws, nothing is written.
    package func finish(_ request: FinishRequest, check: () throws -> Void = {}) throws -> FinishReport {
        try write { db in
            let log = try ChangeLog(self, db, run: request.run, isLoading: request.snapshotPartner != nil)
            let report = try Deleter(log: log, request: request).finish()
            if let partner = request.snapshotPartner { try LoadEntry(log: log, partner: partner).renew() }
            try check()
            return report
        }
    }
}
