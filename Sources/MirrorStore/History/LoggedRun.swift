import GRDB

/// A run as `sync_log` has it, with its summary.
package struct LoggedRun: Sendable {
    package let record: CatalogueStore.RunRecord
    /// The run's summary, as JSON; `nil` while it goes on, and where it was killed.
    package let summary: String?
}

/// A problem that a run noted.
package struct LoggedProblem: Sendable, Hashable {
    package let what: String
    package let kind: String?
    package let id: String?
    package let message: String
}

extension CatalogueStore {
    /// - Returns: `nil` for a run that isn't known (any more).
    package func loggedRun(_ run: Int64) throws -> LoggedRun? {
        try read { try Self.loggedRun(run, in: $0) }
    }

    /// Runs, the newest first.
    ///
    /// - Parameter since: the earliest time of their beginning, as the store writes times.
    package func loggedRuns(since: String? = nil, limit: Int? = nil) throws -> [LoggedRun] {
        try read { db in
            try Self.records(
                "WHERE started_at >= ? ORDER BY run DESC LIMIT ?", [since ?? "", limit ?? -1], in: db
            ).map { LoggedRun(record: $0, summary: try Self.summary($0.run, in: db)) }
        }
    }

    static func loggedRun(_ run: Int64, in db: Database) throws -> LoggedRun? {
        try records("WHERE run = ?", [run], in: db).first.map {
            LoggedRun(record: $0, summary: try summary(run, in: db))
        }
    }

    private static func summary(_ run: Int64, in db: Database) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT summary FROM sync_log WHERE run = ?"), arguments: [run])
    }

    /// The oldest and the newest run that are known.
    package func runRange() throws -> (oldest: Int64, newest: Int64)? {
        try read { db in
            let row = try Row.fetchOne(db, sql: "SELECT min(run), max(run) FROM sync_log")
            guard let row, let oldest: Int64 = row[0], let newest: Int64 = row[1] else { return nil }
            return (oldest, newest)
        }
    }

    /// What a run noted as problems, in order.
    ///
    /// - Parameter limit: so many at the most; `nil` for all.
    package func problems(ofRun run: Int64, limit: Int? = nil) throws -> [LoggedProblem] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT what, kind, id, message FROM sync_error WHERE run = ? ORDER BY rowid LIMIT ?",
                arguments: [run, limit ?? -1]
            ).map { LoggedProblem(what: $0[0], kind: $0[1], id: $0[2], message: $0[3]) }
        }
    }
}
