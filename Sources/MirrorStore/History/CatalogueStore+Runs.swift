import Catalogue
import GRDB

/// A problem that a run has logged.
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
    /// Begins a run in `sync_log`. Earlier runs without an end are marked as killed.
    ///
    /// - Returns: the run's number.
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
                """, [MetaKey.rebuilt.rawValue, run])
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

    /// A run in the table `sync_log`.
    public struct RunRecord: Sendable {
        /// The run's number; later runs have larger numbers.
        public let run: Int64
        /// The command's name, for example `sync`.
        public let command: String
        /// When the run started: RFC 3339, UTC, milliseconds.
        public let startedAt: String
        /// When the run ended, in the same format; `nil` while it continues.
        public let endedAt: String?
        /// `complete`, `partial`, `guarded`, `failed`, `cancelled` or `killed`; `nil` while the run continues.
        public let outcome: String?
        /// The number of logged problems.
        public let errors: Int
        /// The run's summary, as JSON; `nil` while it continues, and if it was killed.
        package var summary: String?

        /// The names of the kinds to which a sync was limited (`--only`); empty for a run of the whole mirror.
        public var only: [String] { (fields?["only"]?.arrayValue ?? []).compactMap(\.stringValue) }

        /// The maximum number of requests to the mirror's server that were in flight at the same time; `nil` if unknown.
        public var concurrency: Int? { fields?["concurrency"]?.numberValue?.intValue }

        private var fields: JSONObject? { summary.flatMap { try? JSONValue(parsing: $0) }?.objectValue }
    }

    /// SQL condition: a run that has ended covered the whole mirror, not only some kinds.
    static let coversAllKinds = "json_extract(summary, '$.only') IS NULL"

    /// SQL condition: a run that updated the whole mirror, or tried to. The index `sync_log_of_days` has the same condition.
    static let isUpdateOfAllKinds = "NOT \(isUpkeep) AND \(coversAllKinds)"

    /// Commands that fetch nothing from a server or catalogue, so their runs don't make the mirror more current.
    package static let upkeep: Set<String> = ["restore", "verify"]
    static let isUpkeep = "command IN (\(upkeep.sorted().map { "'\($0)'" }.joined(separator: ", ")))"

    /// The last run that updated the mirror, or tried to; `nil` if there is none.
    ///
    /// - Throws: ``StoreError``.
    public func lastUpdate() throws -> RunRecord? {
        try records("WHERE NOT \(Self.isUpkeep) ORDER BY run DESC LIMIT 1").first
    }

    /// The last run that the delete guard stopped, if no later run has decided about its removals; otherwise `nil`.
    ///
    /// A sync or import decides if it was complete or partial, and covered the whole mirror or the same kinds. One of other
    /// kinds, one that failed, and events don't.
    package func undecidedRun() throws -> RunRecord? {
        let decides = "n.command IN ('sync', 'import') AND n.outcome IN ('complete', 'partial')"
        // The first bound avoids reading the log before the last decision.
        return try records(
            """
            WHERE outcome = 'guarded' AND run > coalesce(
                (SELECT n.run FROM sync_log n WHERE \(decides) AND \(Self.coversAllKinds) ORDER BY n.run DESC LIMIT 1), 0)
              AND NOT EXISTS (SELECT 1 FROM sync_log n WHERE n.run > l.run AND \(decides)
                AND json_extract(n.summary, '$.only') IS json_extract(l.summary, '$.only'))
            ORDER BY run DESC LIMIT 1
            """
        ).first
    }

    /// The run from which a mirror's state follows: ``undecidedRun()`` or else the last update of the whole mirror. Only if
    /// there is none, it is the last update of some kinds.
    package func stateRun() throws -> RunRecord? {
        if let undecided = try undecidedRun() { return undecided }
        return try records("WHERE \(Self.isUpdateOfAllKinds) ORDER BY run DESC LIMIT 1").first ?? lastUpdate()
    }

    /// The last complete update of the whole mirror; `nil` if there is none. A run of some kinds doesn't count.
    ///
    /// - Throws: ``StoreError``.
    public func lastComplete() throws -> RunRecord? {
        try records(
            "WHERE outcome = 'complete' AND NOT \(Self.isUpkeep) AND \(Self.coversAllKinds) ORDER BY run DESC LIMIT 1"
        ).first
    }

    /// See ``isIncomplete()``.
    static func isIncomplete(in db: Database) throws -> Bool {
        let outcome = try db.text(
            """
            SELECT outcome FROM sync_log
            WHERE command IN ('sync', 'import') AND (outcome = 'partial' OR outcome = 'complete' AND \(coversAllKinds))
            ORDER BY run DESC LIMIT 1
            """)
        return outcome != "complete"
    }

    /// Whether the mirror may lack objects of its server or catalogue.
    ///
    /// `true` if no sync or import of the whole mirror has completed, or if a later sync or import was partial. Not considered
    /// are:
    ///
    /// - runs that failed, were cancelled or were stopped by the delete guard: they remove nothing;
    /// - complete runs of selected kinds: they don't update the other kinds.
    ///
    /// - Throws: ``StoreError``.
    public func isIncomplete() throws -> Bool { try read { try Self.isIncomplete(in: $0) } }

    /// Runs, newest first.
    ///
    /// - Parameters:
    ///   - since: the earliest start, in the format of ``RunRecord/startedAt``. Default: no limit.
    ///   - limit: the maximum number of runs. Default: no limit.
    /// - Throws: ``StoreError``.
    public func runs(since: String? = nil, limit: Int? = nil) throws -> [RunRecord] {
        try records("WHERE started_at >= ? ORDER BY run DESC LIMIT ?", [since ?? "", limit ?? -1])
    }

    /// A run by its number; `nil` if it isn't in the log, or no longer is.
    package func loggedRun(_ run: Int64) throws -> RunRecord? {
        try read { try Self.loggedRun(run, in: $0) }
    }

    static func loggedRun(_ run: Int64, in db: Database) throws -> RunRecord? {
        try records("WHERE run = ?", [run], in: db).first
    }

    func records(_ rest: String, _ arguments: StatementArguments = []) throws -> [RunRecord] {
        try read { try Self.records(rest, arguments, in: $0) }
    }

    /// - Parameter rest: the SQL after `FROM sync_log l`.
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

    /// The end of the last update of the whole mirror with an outcome, in the format of ``RunRecord/endedAt``; `nil` if none.
    ///
    /// A run that ended in the future had a wrong clock. It counts only if there is no other.
    ///
    /// - Parameter outcome: as ``RunRecord/outcome``.
    /// - Throws: ``StoreError``.
    public func lastRun(outcome: String) throws -> String? {
        try lastEnd(with: outcome, Self.isUpdateOfAllKinds)
    }

    /// - Parameter runs: SQL: which runs count.
    func lastEnd(with outcome: String, _ runs: String) throws -> String? {
        let soon = Self.text(of: now().addingTimeInterval(60))
        // The literal lets SQLite use the index of complete runs, of which there may be few after many failed ones.
        let literal = outcome == "complete" ? "AND outcome = 'complete'" : ""
        return try read { db in
            // Two queries, because each stops at the first match. A single query that sorts would read all runs.
            func last(_ condition: String, _ arguments: StatementArguments) throws -> String? {
                try db.text(
                    """
                    SELECT ended_at FROM sync_log WHERE outcome = ? \(literal) AND \(runs) \(condition)
                    ORDER BY run DESC LIMIT 1
                    """, arguments)
            }
            return try last("AND ended_at <= ?", [outcome, soon]) ?? last("", [outcome])
        }
    }

    /// The numbers of the oldest and the newest run in the log; `nil` if it is empty.
    package func runRange() throws -> (oldest: Int64, newest: Int64)? {
        let row = try read { try $0.row("SELECT min(run), max(run) FROM sync_log") }
        guard let row, let oldest: Int64 = row[0], let newest: Int64 = row[1] else { return nil }
        return (oldest, newest)
    }

    /// The problems that a run has logged, in order.
    ///
    /// - Parameter limit: the maximum number; `nil` for all.
    package func problems(ofRun run: Int64, limit: Int? = nil) throws -> [LoggedProblem] {
        try read { db in
            try db.rows(
                "SELECT what, kind, id, message FROM sync_error WHERE run = ? ORDER BY rowid LIMIT ?",
                [run, limit ?? -1]
            ).map { LoggedProblem(what: $0[0], kind: $0[1], id: $0[2], message: $0[3]) }
        }
    }
}
