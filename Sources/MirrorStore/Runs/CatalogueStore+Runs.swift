import Catalogue
import GRDB

extension CatalogueStore {
    /// Begins a run in `sync_log`. Runs that never ended (killed) are closed first.
    package func beginRun(_ command: String) throws -> Int64 {
        let at = timestamp()
        return try write { db in
            try db.cachedStatement(
                sql: "UPDATE sync_log SET ended_at = ?, outcome = 'killed' WHERE ended_at IS NULL"
            ).execute(arguments: [at])
            try db.cachedStatement(
                sql: """
                    INSERT INTO sync_log (command, started_at, first_change)
                    VALUES (?, ?, (SELECT coalesce(max(seq) + 1, 1) FROM change))
                    """
            ).execute(arguments: [command, at])
            return db.lastInsertedRowID
        }
    }

    /// One problem of a run.
    package struct RunError: Sendable {
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

    package func endRun(_ run: Int64, outcome: String, summary: String, errors: [RunError]) throws {
        let at = timestamp()
        try write { db in
            try db.cachedStatement(
                sql: "UPDATE sync_log SET ended_at = ?, outcome = ?, summary = ? WHERE run = ?"
            ).execute(arguments: [at, outcome, summary, run])
            for error in errors {
                try db.cachedStatement(
                    sql: "INSERT INTO sync_error (run, at, what, kind, id, message) VALUES (?, ?, ?, ?, ?, ?)"
                ).execute(arguments: [run, at, error.what, error.kind, error.id, error.message])
            }
            guard outcome == "complete" else { return }
            try db.cachedStatement(
                sql: """
                    DELETE FROM meta WHERE key = ?
                      AND EXISTS (SELECT 1 FROM sync_log WHERE run = ? AND command IN ('sync', 'import'))
                    """
            ).execute(arguments: [Fact.rebuilt.rawValue, run])
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
    }

    /// Commands that bring nothing from a server or catalogue: their end says nothing of how current the mirror is.
    package static let upkeep: Set<String> = ["restore", "verify"]
    static let isUpkeep = "command IN (\(upkeep.sorted().map { "'\($0)'" }.joined(separator: ", ")))"

    /// The last run that was to bring the mirror up to date.
    public func lastUpdate() throws -> RunRecord? {
        try records("WHERE NOT \(Self.isUpkeep) ORDER BY run DESC LIMIT 1").first
    }

    /// The last of those runs that was complete.
    public func lastComplete() throws -> RunRecord? {
        try records("WHERE outcome = 'complete' AND NOT \(Self.isUpkeep) ORDER BY run DESC LIMIT 1").first
    }

    /// Whether the mirror lacks something of its server or catalogue: no sync or import has completed, or the last one that
    /// came to a result was partial. One that failed, was cancelled or was stopped by the guard has taken nothing away.
    static func isIncomplete(in db: Database) throws -> Bool {
        let outcome = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT outcome FROM sync_log
                    WHERE command IN ('sync', 'import') AND outcome IN ('complete', 'partial') ORDER BY run DESC LIMIT 1
                    """))
        return outcome != "complete"
    }

    public func isIncomplete() throws -> Bool { try read { try Self.isIncomplete(in: $0) } }

    /// The last runs, newest first.
    public func runs(limit: Int) throws -> [RunRecord] {
        try records("ORDER BY run DESC LIMIT ?", [limit])
    }

    private func records(_ rest: String, _ arguments: StatementArguments = []) throws -> [RunRecord] {
        try read { try Self.records(rest, arguments, in: $0) }
    }

    /// - Parameter rest: what follows `FROM sync_log l`.
    static func records(_ rest: String, _ arguments: StatementArguments = [], in db: Database) throws
        -> [RunRecord]
    {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT run, command, started_at, ended_at, outcome,
                      (SELECT count(*) FROM sync_error e WHERE e.run = l.run) FROM sync_log l \(rest)
                    """), arguments: arguments
        ).map {
            RunRecord(
                run: $0[0], command: $0[1], startedAt: $0[2], endedAt: $0[3], outcome: $0[4], errors: $0[5])
        }
    }

    /// When the last run that was to bring the mirror up to date, and had that outcome, ended.
    ///
    /// A time that lies ahead was noted by a clock that was wrong: such a run counts only where there is no other.
    public func lastRun(outcome: String) throws -> String? {
        let soon = Self.text(of: now().addingTimeInterval(60))
        return try read { db in
            // Two queries, each of which stops at the first run that fits: one that sorts them would read all runs.
            func last(_ condition: String, _ arguments: StatementArguments) throws -> String? {
                try String.fetchOne(
                    db.cachedStatement(
                        sql: """
                            SELECT ended_at FROM sync_log WHERE outcome = ? AND NOT \(Self.isUpkeep) \(condition)
                            ORDER BY run DESC LIMIT 1
                            """), arguments: arguments)
            }
            return try last("AND ended_at <= ?", [outcome, soon]) ?? last("", [outcome])
        }
    }

    /// Forgets changes older than 100 days, and problems of runs older than that.
    ///
    /// What restoring did is remembered as long as anything that was restored is kept, so that it can be undone. From
    /// which time on the log has everything stays known (``Fact/changeLogStart``), and behind which event. The log is read
    /// from its oldest row to the first that is young enough: times in it never go back, so the cost is that of what goes.
    ///
    /// - Parameter limit: as the store writes times.
    package func trimHistory(olderThan limit: String) throws {
        try write { db in
            let kept = (Kinds.standard.listed + [.document]).map {
                "EXISTS (SELECT 1 FROM \"\($0.table)\" WHERE kept = 1)"
            }
            let hasKept =
                try Bool.fetchOne(db.cachedStatement(sql: "SELECT \(kept.joined(separator: " OR "))"))
                ?? false
            let spared = hasKept ? "AND command <> 'restore'" : ""
            let restores = hasKept ? "(SELECT run FROM sync_log WHERE command = 'restore')" : "()"
            let young = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT seq FROM change WHERE at >= ? ORDER BY seq LIMIT 1"),
                arguments: [limit])
            let old = "seq < ? AND (run IS NULL OR run NOT IN \(restores))"
            try noteLogCut(old, young ?? .max, in: db)
            try db.cachedStatement(sql: "DELETE FROM change WHERE \(old)").execute(arguments: [young ?? .max])
            try noteLogStart(limit, wasCut: db.changesCount > 0, in: db)
            try db.cachedStatement(sql: "DELETE FROM conflict WHERE at < ?").execute(arguments: [limit])
            try DigestKeeper.forgetUnasked(db)
            try db.cachedStatement(
                sql: "DELETE FROM sync_log WHERE started_at < ? AND ended_at IS NOT NULL \(spared)"
            ).execute(arguments: [limit])
        }
    }

    /// The last of those that are about to go, unless one behind it went before.
    private func noteLogCut(_ condition: String, _ young: Int64, in db: Database) throws {
        let last = "SELECT seq, at FROM change WHERE \(condition) ORDER BY seq DESC LIMIT 1"
        guard let row = try Row.fetchOne(db.cachedStatement(sql: last), arguments: [young]),
            let end = try LogEnd(db)
        else { return }
        let cut = EventID(log: end.event.log, seq: row[0], stamp: EventID.stamp(of: row[1]))
        guard cut.seq > end.cut?.seq ?? 0 else { return }
        try db.execute(
            sql: """
                INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
                """, arguments: [Fact.changeLogCut.rawValue, cut.rest])
    }

    /// An empty log that once had changes was cut before this was noted.
    private func noteLogStart(_ limit: String, wasCut: Bool, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO meta (key, value) SELECT ?, ? WHERE ? OR (NOT EXISTS (SELECT 1 FROM change)
                  AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'change'))
                ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)
                """
        ).execute(arguments: [Fact.changeLogStart.rawValue, limit, wasCut])
    }
}
