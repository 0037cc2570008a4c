import Catalogue
import GRDB

extension CatalogueStore {
    /// The loops of `mirror watch`, ordered by kind and id. Empty if `mirror watch` never ran.
    public func loops() throws -> [LoopRecord] {
        try read {
            try $0.rows("SELECT \(LoopRecord.columns) FROM loop ORDER BY kind, id").map(LoopRecord.init)
        }
    }

    /// The stored state of a loop; `nil` if the loop isn't stored.
    public func loop(_ id: String) throws -> LoopRecord? {
        try read { db in
            try db.row("SELECT \(LoopRecord.columns) FROM loop WHERE id = ?", [id]).map(LoopRecord.init)
        }
    }

    /// Stores the state of a loop, except its cursor, which is stored only with the events that it covers. Idempotent.
    package func note(_ loop: LoopRecord) throws {
        try write(isServed: false) { db in
            try db.run(
                """
                INSERT INTO loop (id, kind, state, failures, last_at, message, next_at, health)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, state = excluded.state,
                  failures = excluded.failures, last_at = coalesce(excluded.last_at, last_at),
                  message = excluded.message, next_at = excluded.next_at, health = excluded.health
                """,
                [
                    loop.id, loop.kind, loop.state, loop.failures, loop.lastAt, loop.message, loop.nextAt,
                    loop.health,
                ])
        }
    }

    /// Stores the cursor of a feed, and that the loop works without failures.
    static func store(
        cursor: String, of id: String, kind: LoopRecord.Kind, at time: String, in db: Database
    ) throws {
        try db.run(
            """
            INSERT INTO loop (id, kind, cursor, last_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET cursor = excluded.cursor, last_at = excluded.last_at,
              state = 'enabled', failures = 0, message = NULL, next_at = NULL, health = NULL
            """, [id, kind.rawValue, cursor, time])
    }

    /// Stores the time at which loops last succeeded, with one statement for all of them.
    package func noteLoops(_ ids: [String], wentWellAt time: String) throws {
        guard !ids.isEmpty else { return }
        try write(isServed: false) { db in
            try db.run(
                "UPDATE loop SET last_at = ? WHERE id IN (SELECT value FROM json_each(?))",
                [time, JSONValue.canonicalText(of: ids)])
        }
    }

    /// Removes loops that are no longer needed because their shows are gone.
    package func forgetLoops(_ ids: [String]) throws {
        guard !ids.isEmpty else { return }
        try write(isServed: false) { db in
            try db.run(
                "DELETE FROM loop WHERE id IN (SELECT value FROM json_each(?))",
                [JSONValue.canonicalText(of: ids)])
        }
    }

    // MARK: - Shows

    /// The shows that may be running: those that end on or after a day, and those without an end whose status is `running`.
    ///
    /// - Parameter day: yesterday, such as `2026-11-20`.
    package func showFeeds(endingAfter day: String) throws -> [ShowFeed] {
        try read { db in
            try db.rows(
                """
                SELECT o.id, o.start_at, o.end_at, o.status, o.served_etag, l.state, l.health
                FROM show o LEFT JOIN loop l ON l.id = 'show:' || o.id
                WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0
                  AND (o.end_at >= ? OR (o.end_at IS NULL AND lower(o.status) = 'running')) ORDER BY o.id
                """, [day]
            ).map {
                ShowFeed(
                    show: $0[0], startAt: $0[1], endAt: $0[2], status: $0[3], version: $0[4], state: $0[5],
                    health: $0[6])
            }
        }
    }

    /// A value that changes exactly when a show's own JSON changes; `nil` if the show isn't stored.
    package func showVersion(_ id: String) throws -> String? {
        try read { try $0.text("SELECT served_etag FROM show WHERE id = ? AND ghost = 0", [id]) }
    }

    /// Removes a run from the log that found nothing to do. It is kept if it changed something or failed.
    package func forgetIdleRun(_ run: Int64) throws {
        try write(isServed: false) { db in
            try db.run(
                """
                DELETE FROM sync_log WHERE run = ?1 AND ended_at IS NOT NULL AND outcome = 'complete'
                  AND NOT EXISTS (SELECT 1 FROM change WHERE \(ChangeLog.isOfRun))
                  AND NOT EXISTS (SELECT 1 FROM sync_error WHERE run = ?1)
                """, [run])
        }
    }

    // MARK: - Counts

    /// The totals of all syncs and of `mirror watch` since the mirror was made.
    ///
    /// The keys are `requests`, `not_modified`, `failures`, `bytes`, `pages` and `objects`. A key without a count is missing.
    public func tally() throws -> [String: Int] {
        try read { db in
            try db.rows("SELECT name, value FROM tally").reduce(into: [:]) { $0[$1[0]] = $1[1] }
        }
    }

    /// Adds counts to the stored totals, with one statement for all of them.
    package func add(tally counts: [String: Int]) throws {
        let counts = counts.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        guard !counts.isEmpty else { return }
        let names = JSONValue.canonicalText(of: counts.map(\.key))
        let values = JSONValue.canonicalText(of: counts.map { String($0.value) })
        try write(isServed: false) { db in
            try db.run(
                """
                INSERT INTO tally (name, value)
                SELECT n.value, CAST(v.value AS INTEGER) FROM json_each(?) n JOIN json_each(?) v ON v.key = n.key
                WHERE true ON CONFLICT (name) DO UPDATE SET value = value + excluded.value
                """, [names, values])
        }
    }
}
