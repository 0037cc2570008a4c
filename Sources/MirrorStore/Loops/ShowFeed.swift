import GRDB

/// A show that may have a feed of its own, beside what is known of its loop.
package struct ShowFeed: Sendable, Hashable {
    package let show: String
    package let startAt: String?
    package let endAt: String?
    package let status: String?
    /// Changes exactly when the show's own JSON does.
    package let version: String?
    /// As ``LoopRecord/state``; `nil` if nothing is stored of the loop.
    package let state: String?
    package let health: String?

    package init(
        show: String, startAt: String?, endAt: String?, status: String?, version: String?, state: String?,
        health: String?
    ) {
        self.show = show
        self.startAt = startAt
        self.endAt = endAt
        self.status = status
        self.version = version
        self.state = state
        self.health = health
    }
}

extension CatalogueStore {
    /// The shows that may be running, the rest of the rows left alone: those that end later than a day, and those without
    /// an end that say that they run.
    ///
    /// - Parameter day: the day before the present one, `2026-11-20`.
    package func showFeeds(endingAfter day: String) throws -> [ShowFeed] {
        try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT o.id, o.start_at, o.end_at, o.status, o.served_etag, l.state, l.health
                        FROM show o LEFT JOIN loop l ON l.id = 'show:' || o.id
                        WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0
                          AND (o.end_at >= ? OR (o.end_at IS NULL AND lower(o.status) = 'running')) ORDER BY o.id
                        """), arguments: [day]
            ).map {
                ShowFeed(
                    show: $0[0], startAt: $0[1], endAt: $0[2], status: $0[3], version: $0[4], state: $0[5],
                    health: $0[6])
            }
        }
    }

    /// What changes exactly when a show's own JSON does; `nil` if it isn't here.
    package func showVersion(_ id: String) throws -> String? {
        try read { db in
            try String.fetchOne(
                db.cachedStatement(sql: "SELECT served_etag FROM show WHERE id = ? AND ghost = 0"),
                arguments: [id])
        }
    }

    /// Takes a run out of the log that found nothing to do: a later one says the same.
    package func forgetIdleRun(_ run: Int64) throws {
        try write(isServed: false) { db in
            try db.execute(
                sql: """
                    DELETE FROM sync_log WHERE run = ?1 AND ended_at IS NOT NULL AND outcome = 'complete'
                      AND NOT EXISTS (SELECT 1 FROM change WHERE \(ChangeLog.isOfRun))
                      AND NOT EXISTS (SELECT 1 FROM sync_error WHERE run = ?1)
                    """, arguments: [run])
        }
    }
}
