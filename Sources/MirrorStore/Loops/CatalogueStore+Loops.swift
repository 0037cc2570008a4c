import Catalogue
import GRDB

extension CatalogueStore {
    /// The loops of `mirror watch`, by kind and id; none where it never ran.
    public func loops() throws -> [LoopRecord] {
        try read {
            try $0.rows("SELECT \(LoopRecord.columns) FROM loop ORDER BY kind, id").map(LoopRecord.init)
        }
    }

    /// One loop as it stands; `nil` if there is none.
    public func loop(_ id: String) throws -> LoopRecord? {
        try read { db in
            try db.row("SELECT \(LoopRecord.columns) FROM loop WHERE id = ?", [id]).map(LoopRecord.init)
        }
    }

    /// Writes how a loop stands, all but its cursor, which only moves with what it covers. Idempotent.
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

    /// Stores how far a feed is known, which also means that the loop is well.
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

    /// Notes that loops went well; one statement for all of them.
    package func noteLoops(_ ids: [String], wentWellAt time: String) throws {
        guard !ids.isEmpty else { return }
        try write(isServed: false) { db in
            try db.run(
                "UPDATE loop SET last_at = ? WHERE id IN (SELECT value FROM json_each(?))",
                [time, JSONValue.canonicalText(of: ids)])
        }
    }

    /// Removes loops that are no longer of use: the shows that they were of are gone.
    package func forgetLoops(_ ids: [String]) throws {
        guard !ids.isEmpty else { return }
        try write(isServed: false) { db in
            try db.run(
                "DELETE FROM loop WHERE id IN (SELECT value FROM json_each(?))",
                [JSONValue.canonicalText(of: ids)])
        }
    }

    // MARK: - Shows

    /// The shows that may be running, the rest of the rows left alone: those that end later than a day, and those without
    /// an end that say that they run.
    ///
    /// - Parameter day: the day before the present one, `2026-11-20`.
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

    /// What changes exactly when a show's own JSON does; `nil` if it isn't here.
    package func showVersion(_ id: String) throws -> String? {
        try read { try $0.text("SELECT served_etag FROM show WHERE id = ? AND ghost = 0", [id]) }
    }

    /// Takes a run out of the log that found nothing to do: a later one says the same.
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

    /// What syncs and `mirror watch` counted of this mirror since it was made, by name: `requests`, `not_modified`, `failures`,
    /// `bytes`, `pages`, `objects`. A name comes in with its first count.
    public func tally() throws -> [String: Int] {
        try read { db in
            try db.rows("SELECT name, value FROM tally").reduce(into: [:]) { $0[$1[0]] = $1[1] }
        }
    }

    /// Adds counts to what is stored: one statement, whatever their number.
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
