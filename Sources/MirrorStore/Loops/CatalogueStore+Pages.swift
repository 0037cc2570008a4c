import GRDB

extension CatalogueStore {
    /// The number of the newest run.
    package func newestRun() throws -> Int64? {
        try read { try Int64.fetchOne($0, sql: "SELECT max(run) FROM sync_log") }
    }

    /// Stores a page and its cursor in one transaction, or nothing of both. A page that changes something has a run of its
    /// own in the log, `events`; one that changes nothing leaves only its cursor. Idempotent but for that.
    ///
    /// One bad object is left out, and doesn't keep the others. Neither do lists that lack too much: they wait for a whole sync,
    /// which knows what else is gone. What goes with a page may well be told by the next one.
    ///
    /// - Parameters:
    ///   - report: what the log says of the run: its summary, as JSON, and its problems. Called if there is a run.
    ///   - check: called last in the transaction; where it throws, nothing was stored.
    /// - Throws: ``StoreError``, and what `check` throws.
    package func commit(
        _ page: PageCommit, report: (StoredPage) -> (summary: String, errors: [RunError]),
        check: () throws -> Void
    ) throws -> PageOutcome {
        let at = timestamp()
        func body(_ db: Database) throws -> PageOutcome {
            let writer = PageWriter(db: db, page: page, at: at)
            guard try writer.isCurrent() else { return .superseded }
            let stored = try writer.write(self, report: report)
            try LoopRows(db: db).store(page.cursor, of: page.loop, kind: page.kind, at: at)
            try check()
            return .stored(stored)
        }
        // A cursor alone changes nothing of what is served.
        return page.writes.isEmpty ? try write(isServed: false, body) : try write(body)
    }
}

/// Writes one page inside of its transaction.
private struct PageWriter {
    let db: Database
    let page: PageCommit
    let at: String

    func isCurrent() throws -> Bool {
        guard try ExactText.same(LoopRows(db: db).cursor(page.loop), page.asked) else { return false }
        return try Int64.fetchOne(db, sql: "SELECT max(run) FROM sync_log") == page.newestRun
    }

    func write(
        _ store: CatalogueStore,
        report: (StoredPage) -> (summary: String, errors: [CatalogueStore.RunError])
    ) throws -> StoredPage {
        var stored = StoredPage()
        guard !page.writes.isEmpty || page.hasProblems else { return stored }
        try db.execute(
            sql: """
                INSERT INTO sync_log (command, started_at, first_change)
                VALUES ('events', ?, (SELECT coalesce(max(seq) + 1, 1) FROM change))
                """, arguments: [at])
        let run = db.lastInsertedRowID
        let log = try ChangeLog(store, db, run: run)
        for write in page.writes { try apply(write, store, log, &stored) }
        var request = FinishRequest(run: run)
        request.limit = page.limit
        request.keepsEmptied = true
        request.unsettled = page.unsettled
        request.notFound = page.notFound
        let finished = try Deleter(log: log, request: request).finish()
        stored.held = finished.held
        let hasChanges =
            try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM change WHERE \(ChangeLog.isOfRun))"),
                arguments: [run]) ?? false
        guard hasChanges || page.hasProblems || !stored.refused.isEmpty || !stored.held.isEmpty else {
            try db.execute(sql: "DELETE FROM sync_log WHERE run = ?", arguments: [run])
            return stored
        }
        stored.run = run
        stored.counts = try CatalogueStore.changeCounts(run: run, in: db)
        stored.items = try items(run)
        try end(run, report(stored))
        return stored
    }

    /// What fails alone is left out alone.
    private func apply(
        _ write: Write, _ store: CatalogueStore, _ log: ChangeLog, _ stored: inout StoredPage
    ) throws {
        var failure: DatabaseError?
        try db.inSavepoint {
            do {
                if try store.apply(write, log: log) == .outdated {
                    stored.refused.append(
                        (write, "The answer is older than the one that is stored. A sync asks again."))
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
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT kind, id, CASE WHEN sum(action = 'create') > 0 AND max(action = 'delete') = 0 THEN 'created'
                        WHEN max(action = 'delete') = 1 THEN 'deleted' ELSE 'updated' END
                    FROM change WHERE \(ChangeLog.isOfRun) AND NOT \(ChangeLog.isForOthersOnly)
                      AND NOT (kind = 'location' AND list IS NOT NULL) GROUP BY kind, owner, id ORDER BY max(seq)
                    """), arguments: [run]
        ).map { ($0[0], $0[1], $0[2]) }
    }

    private func end(
        _ run: Int64, _ report: (summary: String, errors: [CatalogueStore.RunError])
    ) throws {
        try db.execute(
            sql: "UPDATE sync_log SET ended_at = ?, outcome = ?, summary = ? WHERE run = ?",
            arguments: [at, report.errors.isEmpty ? "complete" : "partial", report.summary, run])
        let insert = try db.cachedStatement(
            sql: "INSERT INTO sync_error (run, at, what, kind, id, message) VALUES (?, ?, ?, ?, ?, ?)")
        for problem in report.errors {
            try insert.execute(arguments: [
                run, at, problem.what, problem.kind, problem.id, problem.message,
            ])
        }
    }
}
