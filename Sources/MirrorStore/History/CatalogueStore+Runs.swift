import Catalogue
import GRDB

/// A problem that a run noted.
package struct LoggedProblem: Sendable, Hashable {
    package let what: String
    package let kind: String?
    package let id: String?
    package let message: String

    package init(what: String, kind: String?, id: String?, message: String) {
        self.what = what
        self.kind = kind
        self.id = id
        self.message = message
    }
}

extension CatalogueStore {
    /// Begins a run in `sync_log`. Runs that never ended (killed) are closed first.
    package func beginRun(_ command: String) throws -> Int64 {
        let at = timestamp()
        return try write { db in
            try db.run("UPDATE sync_log SET ended_at = ?, outcome = 'killed' WHERE ended_at IS NULL", [at])
            return try Self.begin(command, at: at, in: db)
        }
    }

    static func begin(_ command: String, at: String, in db: Database) throws -> Int64 {
        try db.run(
            """
            INSERT INTO sync_log (command, started_at, first_change)
            VALUES (?, ?, (SELECT coalesce(max(seq) + 1, 1) FROM change))
            """, [command, at])
        return db.lastInsertedRowID
    }

    package func endRun(_ run: Int64, outcome: String, summary: String, errors: [LoggedProblem]) throws {
        let at = timestamp()
        try write { db in
            try Self.end(run, at: at, outcome: outcome, summary: summary, errors: errors, in: db)
            guard outcome == "complete" else { return }
            try db.run(
                """
                DELETE FROM meta WHERE key = ?
                  AND EXISTS (SELECT 1 FROM sync_log WHERE run = ? AND command IN ('sync', 'import') AND \(Self.coversAllKinds))
                """, [Fact.rebuilt.rawValue, run])
        }
    }

    static func end(
        _ run: Int64, at: String, outcome: String, summary: String, errors: [LoggedProblem], in db: Database
    ) throws {
        try db.run(
            "UPDATE sync_log SET ended_at = ?, outcome = ?, summary = ? WHERE run = ?",
            [at, outcome, summary, run])
        for error in errors {
            try db.run(
                "INSERT INTO sync_error (run, at, what, kind, id, message) VALUES (?, ?, ?, ?, ?, ?)",
                [run, at, error.what, error.kind, error.id, error.message])
        }
    }

    /// A run as `sync_log` has it.
    public struct RunRecord: Sendable {
        public let run: Int64
        public let command: String
        public let startedAt: String
        public let endedAt: String?
        /// `complete`, `partial`, `guarded`, `failed`, `cancelled`, `killed`; `nil` while it goes on.
        public let outcome: String?
        public let errors: Int
        /// The run's summary, as JSON; `nil` while it goes on, and where it was killed.
        package var summary: String?

        /// The kinds to which a sync was confined, by name, as its summary has them; empty for a run of the whole mirror.
        public var only: [String] {
            let summary = summary.flatMap { try? JSONValue(parsing: $0) }?.objectValue
            return (summary?["only"]?.arrayValue ?? []).compactMap(\.stringValue)
        }
    }

    /// SQL: whether a run that has ended was of the whole mirror, not of some kinds alone.
    static let coversAllKinds = "json_extract(summary, '$.only') IS NULL"

    /// Commands that bring nothing from a server or catalogue: their end says nothing of how current the mirror is.
    package static let upkeep: Set<String> = ["restore", "verify"]
    static let isUpkeep = "command IN (\(upkeep.sorted().map { "'\($0)'" }.joined(separator: ", ")))"

    /// The last run that was to bring the mirror up to date.
    public func lastUpdate() throws -> RunRecord? {
        try records("WHERE NOT \(Self.isUpkeep) ORDER BY run DESC LIMIT 1").first
    }

    /// The last of those runs that was complete; one of some kinds alone doesn't count.
    public func lastComplete() throws -> RunRecord? {
        try records(
            "WHERE outcome = 'complete' AND NOT \(Self.isUpkeep) AND \(Self.coversAllKinds) ORDER BY run DESC LIMIT 1"
        ).first
    }

    /// Whether the mirror lacks something of its server or catalogue: no sync or import has completed, or the last one that
    /// came to a result was partial. One that failed, was cancelled or was stopped by the guard has taken nothing away, and one
    /// of some kinds alone that was complete doesn't bring the others.
    static func isIncomplete(in db: Database) throws -> Bool {
        let outcome = try db.text(
            """
            SELECT outcome FROM sync_log
            WHERE command IN ('sync', 'import') AND (outcome = 'partial' OR outcome = 'complete' AND \(coversAllKinds))
            ORDER BY run DESC LIMIT 1
            """)
        return outcome != "complete"
    }

    public func isIncomplete() throws -> Bool { try read { try Self.isIncomplete(in: $0) } }

    /// Runs, the newest first.
    ///
    /// - Parameter since: the earliest time of their beginning, as the store writes times.
    public func runs(since: String? = nil, limit: Int? = nil) throws -> [RunRecord] {
        try records("WHERE started_at >= ? ORDER BY run DESC LIMIT ?", [since ?? "", limit ?? -1])
    }

    /// - Returns: `nil` for a run that isn't known (any more).
    package func loggedRun(_ run: Int64) throws -> RunRecord? {
        try read { try Self.loggedRun(run, in: $0) }
    }

    static func loggedRun(_ run: Int64, in db: Database) throws -> RunRecord? {
        try records("WHERE run = ?", [run], in: db).first
    }

    private func records(_ rest: String, _ arguments: StatementArguments = []) throws -> [RunRecord] {
        try read { try Self.records(rest, arguments, in: $0) }
    }

    /// - Parameter rest: what follows `FROM sync_log l`.
    private static func records(_ rest: String, _ arguments: StatementArguments, in db: Database) throws
        -> [RunRecord]
    {
        let sql = """
            SELECT run, command, started_at, ended_at, outcome,
              (SELECT count(*) FROM sync_error e WHERE e.run = l.run), summary FROM sync_log l \(rest)
            """
        return try db.rows(sql, arguments).map {
            RunRecord(
                run: $0[0], command: $0[1], startedAt: $0[2], endedAt: $0[3], outcome: $0[4], errors: $0[5],
                summary: $0[6])
        }
    }

    /// When the last run that was to bring the whole mirror up to date, and had that outcome, ended.
    ///
    /// A time that lies ahead was noted by a clock that was wrong: such a run counts only where there is no other.
    public func lastRun(outcome: String) throws -> String? {
        let soon = Self.text(of: now().addingTimeInterval(60))
        return try read { db in
            // Two queries, each of which stops at the first run that fits: one that sorts them would read all runs.
            func last(_ condition: String, _ arguments: StatementArguments) throws -> String? {
                try db.text(
                    """
                    SELECT ended_at FROM sync_log WHERE outcome = ? AND NOT \(Self.isUpkeep) AND \(Self.coversAllKinds) \(condition)
                    ORDER BY run DESC LIMIT 1
                    """, arguments)
            }
            return try last("AND ended_at <= ?", [outcome, soon]) ?? last("", [outcome])
        }
    }

    /// The oldest and the newest run that are known.
    package func runRange() throws -> (oldest: Int64, newest: Int64)? {
        let row = try read { try $0.row("SELECT min(run), max(run) FROM sync_log") }
        guard let row, let oldest: Int64 = row[0], let newest: Int64 = row[1] else { return nil }
        return (oldest, newest)
    }

    /// What a run noted as problems, in order.
    ///
    /// - Parameter limit: how many at most; `nil` for all.
    package func problems(ofRun run: Int64, limit: Int? = nil) throws -> [LoggedProblem] {
        try read { db in
            try db.rows(
                "SELECT what, kind, id, message FROM sync_error WHERE run = ? ORDER BY rowid LIMIT ?",
                [run, limit ?? -1]
            ).map { LoggedProblem(what: $0[0], kind: $0[1], id: $0[2], message: $0[3]) }
        }
    }
}
