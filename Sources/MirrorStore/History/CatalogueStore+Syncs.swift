import Catalogue
import GRDB

/// The runs that brought the whole mirror up to its source: syncs and imports.
///
/// Applied events, refreshes of some kinds and single fetches don't: they only add to what such a run found.
extension CatalogueStore {
    /// SQL condition: a sync or import of the whole mirror.
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
            SELECT ended_at FROM sync_log WHERE run > ? AND command = 'events' AND outcome IN ('complete', 'partial')
            ORDER BY run DESC LIMIT 1
            """, [run])
        return HistoryFacts.Following(readAt: read, appliedAt: applied)
    }
}

/// Lists and numbers of runs for the pages of the history.
extension CatalogueStore {
    /// The numbers of syncs and imports of the whole mirror that began on each day (UTC), by their outcome. Those without an
    /// end are left out.
    package func updates(since day: String) throws -> [(day: String, outcome: String, count: Int)] {
        try read { db in
            try db.rows(
                """
                SELECT substr(started_at, 1, 10), outcome, count(*) FROM sync_log INDEXED BY sync_log_of_days
                WHERE \(Self.isUpdateOfAllKinds) AND command IN ('sync', 'import') AND started_at >= ?
                  AND outcome IS NOT NULL GROUP BY 1, 2
                """, [day]
            ).map { ($0[0], $0[1], $0[2]) }
        }
    }

    /// Runs, newest first.
    ///
    /// - Parameter run: only runs before this one; `nil` for the newest.
    /// - Returns: at most `limit` runs, and whether there are earlier ones.
    package func runs(before run: Int64?, limit: Int) throws -> (runs: [RunRecord], hasMore: Bool) {
        let found = try records("WHERE run < ? ORDER BY run DESC LIMIT ?", [run ?? Int64.max, limit + 1])
        return (Array(found.prefix(limit)), found.count > limit)
    }

    /// The run before which the page of later runs begins; `nil` if that is the first page.
    ///
    /// - Parameters:
    ///   - run: the run before which a page begins.
    ///   - limit: the number of runs on a page.
    package func laterRuns(than run: Int64, limit: Int) throws -> Int64? {
        let sql = "SELECT run FROM sync_log WHERE run >= ? ORDER BY run LIMIT 1 OFFSET ?"
        return try read { try $0.value(Int64.self, sql, [run, limit]) }
    }

    /// When the log's first run began; `nil` if there is none.
    package func firstRunStart() throws -> String? {
        try read { try $0.text("SELECT started_at FROM sync_log ORDER BY run LIMIT 1") }
    }
}
