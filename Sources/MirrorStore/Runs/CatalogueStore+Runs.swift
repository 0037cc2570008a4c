import GRDB

extension CatalogueStore {
    /// Begins a run in `sync_log`. Runs that never ended (killed) are closed first.
    package func beginRun(_ command: String) throws -> Int64 {
        let at = timestamp()
        return try write { db in
            try db.execute(
                sql: "UPDATE sync_log SET ended_at = ?, outcome = 'killed' WHERE ended_at IS NULL",
                arguments: [at])
            try db.execute(
                sql: """
                    INSERT INTO sync_log (command, started_at, first_change)
                    VALUES (?, ?, (SELECT coalesce(max(seq) + 1, 1) FROM change))
                    """, arguments: [command, at])
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
            try db.execute(
                sql: "UPDATE sync_log SET ended_at = ?, outcome = ?, summary = ? WHERE run = ?",
                arguments: [at, outcome, summary, run])
            for error in errors {
                try db.execute(
                    sql:
                        "INSERT INTO sync_error (run, at, what, kind, id, message) VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [run, at, error.what, error.kind, error.id, error.message])
            }
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

    /// The last runs, newest first.
    public func runs(limit: Int) throws -> [RunRecord] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT run, command, started_at, ended_at, outcome,
                      (SELECT count(*) FROM sync_error e WHERE e.run = l.run) FROM sync_log l
                    ORDER BY run DESC LIMIT ?
                    """, arguments: [limit]
            ).map {
                RunRecord(
                    run: $0[0], command: $0[1], startedAt: $0[2], endedAt: $0[3], outcome: $0[4],
                    errors: $0[5])
            }
        }
    }

    /// When the last run with that outcome ended.
    public func lastRun(outcome: String) throws -> String? {
        try read { db in
            try String.fetchOne(
                db, sql: "SELECT ended_at FROM sync_log WHERE outcome = ? ORDER BY run DESC LIMIT 1",
                arguments: [outcome])
        }
    }

    /// Forgets changes older than 100 days, and problems of runs older than that.
    package func trimHistory(olderThan limit: String) throws {
        try write { db in
            try db.execute(sql: "DELETE FROM change WHERE at < ?", arguments: [limit])
            try db.execute(
                sql: "DELETE FROM sync_log WHERE started_at < ? AND ended_at IS NOT NULL", arguments: [limit])
        }
    }
}
