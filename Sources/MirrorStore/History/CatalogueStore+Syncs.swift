import Catalogue
import GRDB

/// The runs that compared the whole mirror with its source: syncs and imports.
///
/// Applied events, refreshes of some kinds and single fetches don't: they only add to what such a run found.
extension CatalogueStore {
    /// SQL condition: a run that compared the whole mirror, or tried to.
    static let isSyncOfAllKinds = "command IN ('sync', 'import') AND \(coversAllKinds)"

    /// The last complete sync or import of the whole mirror; `nil` if there is none.
    package func lastCompleteSync() throws -> RunRecord? {
        try records("WHERE outcome = 'complete' AND \(Self.isSyncOfAllKinds) ORDER BY run DESC LIMIT 1").first
    }

    /// The end of the last complete sync or import of the whole mirror, in the format of ``RunRecord/endedAt``; `nil` if there
    /// is none.
    ///
    /// A run that ended in the future had a wrong clock. It counts only if there is no other.
    package func lastCompleteSyncEnd() throws -> String? {
        try lastEnd(with: "complete", Self.isSyncOfAllKinds)
    }

    /// How far a mirror has followed its server's events after its last complete sync; `nil` if it hasn't, if requests for
    /// events fail, or if the mirror may lack objects that no event names.
    static func following(in db: Database) throws -> HistoryFacts.Following? {
        guard try !isIncomplete(in: db),
            let sync = try db.row(
                """
                SELECT run, ended_at FROM sync_log WHERE outcome = 'complete' AND \(isSyncOfAllKinds)
                ORDER BY run DESC LIMIT 1
                """)
        else { return nil }
        let run: Int64 = sync[0], end: String? = sync[1]
        let read = try db.text(
            "SELECT last_at FROM loop WHERE id = ? AND failures = 0 AND last_at > ?",
            [LoopRecord.coreID, end])
        guard let read else { return nil }
        let applied = try db.text(
            """
            SELECT ended_at FROM sync_log WHERE run > ? AND command = 'events' AND ended_at IS NOT NULL
            ORDER BY run DESC LIMIT 1
            """, [run])
        return HistoryFacts.Following(readAt: read, appliedAt: applied)
    }
}
