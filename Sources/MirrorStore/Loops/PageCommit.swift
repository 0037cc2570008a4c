import Catalogue
import GRDB

/// A page of a feed of events, ready to be stored together with its cursor.
package struct PageCommit: Sendable {
    package let loop: String
    package let kind: LoopRecord.Kind
    /// The cursor with which the page was requested. If another cursor is stored by now, the page is dropped.
    package let asked: String?
    /// The newest run when the page was compared with the store. If there is a newer run by now, the page is dropped.
    package let newestRun: Int64?
    /// The id of the page's last event, which becomes the stored cursor.
    package let cursor: String
    /// The changes, in the order in which they are applied.
    package let writes: [Write]
    /// Passed on as ``FinishRequest/unsettled``.
    package var unsettled: [String] = []
    /// Passed on as ``FinishRequest/notFound``.
    package var notFound: [Kind: [String: String]] = [:]
    package var limit = DeleteGuard.Limit.standard
    /// Whether a part of the page could not be processed. Such a page is logged even if it changes nothing.
    package var hasProblems = false

    package init(
        loop: String, kind: LoopRecord.Kind, asked: String?, newestRun: Int64?, cursor: String,
        writes: [Write]
    ) {
        self.loop = loop
        self.kind = kind
        self.asked = asked
        self.newestRun = newestRun
        self.cursor = cursor
        self.writes = writes
    }
}

/// Whether a page of events was stored.
package enum PageOutcome: Sendable {
    /// The page is stored, with its cursor.
    case stored(StoredPage)
    /// Nothing was stored, because another run or loop changed the mirror in the meantime.
    case superseded
}

/// What a stored page of events changed.
package struct StoredPage: Sendable {
    /// The run under which the changes are logged; `nil` if nothing changed.
    package var run: Int64?
    package var counts: [Kind: (created: Int, updated: Int, deleted: Int)] = [:]
    /// The created, updated and deleted objects, each once, in the order of their last change.
    package var items: [(kind: String, id: String, action: String)] = []
    /// Writes that could not be stored, each with the reason.
    package var refused: [(write: Write, message: String)] = []
    /// Lists that lack too many stored members. They are applied only by a sync of the whole tree.
    package var held: [UnappliedList] = []
}

extension CatalogueStore {
    /// The number of the newest run.
    package func newestRun() throws -> Int64? {
        try read { try $0.value(Int64.self, "SELECT max(run) FROM sync_log") }
    }

    /// Stores a page and its cursor in one transaction.
    ///
    /// A page that changes the mirror gets its own run in the log, with the command `events`. For a page without changes
    /// only the cursor is stored.
    ///
    /// An object that can't be stored is left out and reported; the others are stored. A list that lacks too many stored
    /// members is left for a sync of the whole tree: the events that explain the missing members may be on a later page.
    ///
    /// - Parameters:
    ///   - report: returns the run's summary, as JSON, and its problems for the log. Called only if there is a run.
    ///   - check: called last in the transaction. If it throws, nothing is stored.
    /// - Throws: ``StoreError``, and the errors that `check` throws.
    package func commit(
        _ page: PageCommit, report: (StoredPage) -> (summary: String, errors: [LoggedProblem]),
        check: () throws -> Void
    ) throws -> PageOutcome {
        let at = timestamp()
        func body(_ db: Database) throws -> PageOutcome {
            let writer = PageWriter(store: self, db: db, page: page, at: at)
            guard try writer.isCurrent() else { return .superseded }
            let stored = try writer.write(report)
            try Self.store(cursor: page.cursor, of: page.loop, kind: page.kind, at: at, in: db)
            try check()
            return .stored(stored)
        }
        // A cursor isn't served, so storing it alone doesn't invalidate the answers of a server.
        return page.writes.isEmpty ? try write(isServed: false, body) : try write(body)
    }
}

/// Writes one page inside its transaction.
private struct PageWriter {
    let store: CatalogueStore
    let db: Database
    let page: PageCommit
    let at: String

    func isCurrent() throws -> Bool {
        let stored = try db.text("SELECT cursor FROM loop WHERE id = ?", [page.loop])
        guard ExactText.same(stored, page.asked) else { return false }
        return try db.value(Int64.self, "SELECT max(run) FROM sync_log") == page.newestRun
    }

    func write(_ report: (StoredPage) -> (summary: String, errors: [LoggedProblem])) throws -> StoredPage {
        var stored = StoredPage()
        guard !page.writes.isEmpty || page.hasProblems else { return stored }
        let run = try CatalogueStore.begin("events", at: at, in: db)
        let log = try ChangeLog(store, db, run: run)
        for write in page.writes { try apply(write, log, &stored) }
        var request = FinishRequest(run: run)
        request.limit = page.limit
        request.keepsEmptied = true
        request.unsettled = page.unsettled
        request.notFound = page.notFound
        let finished = try Deleter(log: log, request: request).finish()
        stored.held = finished.held
        let hasChanges =
            try db.isTrue("SELECT EXISTS (SELECT 1 FROM change WHERE \(ChangeLog.isOfRun))", [run])
        guard hasChanges || page.hasProblems || !stored.refused.isEmpty || !stored.held.isEmpty else {
            try db.run("DELETE FROM sync_log WHERE run = ?", [run])
            return stored
        }
        stored.run = run
        stored.counts = try store.changeCounts(run: run, in: db)
        stored.items = try items(run)
        let (summary, errors) = report(stored)
        let outcome = errors.isEmpty ? "complete" : "partial"
        try CatalogueStore.end(run, at: at, outcome: outcome, summary: summary, errors: errors, in: db)
        return stored
    }

    /// Applies a write in a savepoint, so that a write that violates a constraint is left out alone.
    private func apply(_ write: Write, _ log: ChangeLog, _ stored: inout StoredPage) throws {
        var failure: DatabaseError?
        try db.inSavepoint {
            do {
                if try store.apply(write, log: log) == .outdated {
                    stored.refused.append(
                        (write, "The answer is older than the stored one. The next sync requests it again."))
                }
                return .commit
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                failure = error
                return .rollback
            }
        }
        if let failure { stored.refused.append((write, failure.message ?? "It could not be stored.")) }
    }

    private func items(_ run: Int64) throws -> [(kind: String, id: String, action: String)] {
        try db.rows(
            """
            SELECT kind, id, CASE WHEN sum(action = 'create') > 0 AND max(action = 'delete') = 0 THEN 'created'
                WHEN max(action = 'delete') = 1 THEN 'deleted' ELSE 'updated' END
            FROM change WHERE \(ChangeLog.isOfRun) AND NOT \(ChangeLog.isForOthersOnly)
              AND NOT (kind = 'location' AND list IS NOT NULL) GROUP BY kind, owner, id ORDER BY max(seq)
            """, [run]
        ).map { ($0[0], $0[1], $0[2]) }
    }
}
