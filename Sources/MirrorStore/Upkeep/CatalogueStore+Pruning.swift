import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// Forgets that shows were pruned which are to be kept again, so that they are fetched once more: the list of shows
    /// is no longer clean, and since when changes are known of shows is forgotten. All in one transaction.
    ///
    /// - Parameter limit: those that ended at that moment or later are to be kept; `nil`: all are.
    /// - Returns: whether there were any.
    package func forgetPruned(endedSince limit: Date?) throws -> Bool {
        try write { db in
            try db.run("DELETE FROM pruned WHERE \(Pruned.isKeptAgain)", [limit.map(Self.text)])
            guard db.changesCount > 0 else { return false }
            try ListWriter.unclean(.show, in: db)
            try SinceWriter(db: db).forget([.show])
            return true
        }
    }

    /// Removes the shows that ended before `limit`, with what belongs to them alone; all in one transaction.
    ///
    /// A show stays that says no end, or that it is still running; that was restored, or is here only because something
    /// refers to it; that has notes, or a restored document; that has to be fetched again first, unless it has no ETag and
    /// lost its slug: then it would come, and lose it, anew with each run. What goes is in the change log. Idempotent.
    ///
    /// - Parameters:
    ///   - limit: `nil` removes none.
    ///   - evidence: why, for the change log.
    /// - Returns: how many went.
    package func pruneShows(endedBefore limit: Date?, evidence: String, run: Int64) throws -> Int {
        try write { db in
            let log = try ChangeLog(self, db, run: run)
            try forgetReturned(db, run: run)
            guard let limit else { return 0 }
            let ended = try db.rows(Self.endedShows, [Self.text(of: limit), "[]"])
            guard !ended.isEmpty else { return 0 }
            for show in ended {
                let id: String = show[0], end: String = show[2]
                try ObjectRemover(log: log).remove(.show, id, evidence: "ended \(end); \(evidence)")
                try db.run(
                    """
                    INSERT INTO pruned (kind, id, etag, ended_at) VALUES ('show', ?, ?, ?)
                    ON CONFLICT (kind, id) DO UPDATE
                    SET etag = excluded.etag, ended_at = excluded.ended_at, gone = 0
                    """, [id, show[1] as String?, end])
            }
            try Ghosts(db: db, kinds: log.kinds).prune(linked: log)
            try RivalSettlement(log: log).settle()
            return ended.count
        }
    }

    /// What ``pruneShows(endedBefore:evidence:run:)`` would remove, and how many shows ``forgetPruned(endedSince:)`` would let
    /// come back.
    ///
    /// - Parameter confirmed: those that will have been fetched again by then, and found as they are.
    package func planPruning(
        endedBefore limit: Date?, confirmed: Set<String> = []
    ) throws -> (ids: [String], returning: Int) {
        try read { db in
            let returning =
                try db.number(
                    "SELECT count(*) FROM pruned WHERE \(Pruned.isKeptAgain)", [limit.map(Self.text)]) ?? 0
            guard let limit else { return ([], returning) }
            let ended = try db.rows(
                Self.endedShows, [Self.text(of: limit), JSONValue.canonicalText(of: confirmed.sorted())])
            return (ended.map { $0[0] }, returning)
        }
    }

    private static let endedShows = """
        SELECT o.id, o.etag, o.end_at FROM show o
        WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0
          AND (o.refetch = 0 OR o.id IN (SELECT value FROM json_each(?2)) OR (o.etag IS NULL AND EXISTS (
            SELECT 1 FROM rival r WHERE r.kind = 'show' AND r.id = o.id)))
          AND coalesce(o.status, '') <> 'running' AND \(Pruned.end("o.end_at")) < julianday(?1)
          AND NOT EXISTS (SELECT 1 FROM note n WHERE n.kind = 'show' AND n.id = o.id)
          AND NOT EXISTS (SELECT 1 FROM document d WHERE d.show_id = o.id AND d.kept = 1) ORDER BY o.id
        """

    /// What came in another version is judged anew; what the list of shows no longer names, nobody will ask for.
    private func forgetReturned(_ db: Database, run: Int64) throws {
        try db.run(
            """
            DELETE FROM pruned WHERE kind = 'show' AND EXISTS (
              SELECT 1 FROM show o WHERE o.id = pruned.id AND o.ghost = 0 AND o.kept = 0)
            """)
        try db.run(
            """
            DELETE FROM pruned WHERE kind = 'show'
              AND EXISTS (SELECT 1 FROM list WHERE owner_kind = 'partner' AND name = 'shows' AND complete = 1 AND run = ?1)
              AND id NOT IN (
                SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                WHERE l.owner_kind = 'partner' AND l.name = 'shows' AND l.run = ?1)
            """, [run])
    }

    /// The ETags of the versions in which shows were pruned, by id; `nil` where the server sent none.
    package func prunedETags() throws -> [ExactText: String?] {
        try read { db in
            let rows = try db.rows(
                """
                SELECT p.id, p.etag FROM pruned p LEFT JOIN show o ON o.id = p.id
                WHERE p.kind = 'show' AND (o.id IS NULL OR o.ghost OR o.kept)
                """)
            return Dictionary(rows.map { (ExactText($0[0]), $0[1]) }, uniquingKeysWith: { $1 })
        }
    }
}

/// Shows that were removed because they ended long ago, in SQL: said once, for lists, checks and the end of a run.
///
/// The list of their kind still names them. They are not fetched again while they are in the version that was pruned.
enum Pruned {
    /// The condition that the member `m` of a list was pruned, and that nothing of it, or only a restored copy, is in the
    /// row `o`.
    static func isOut(_ kind: Kind) -> String { isOut(kind, "") }

    /// The same, in the very version that the list names: nothing has to be fetched.
    static func isLeftOut(_ kind: Kind) -> String { isOut(kind, "AND p.etag = m.etag") }

    private static func isOut(_ kind: Kind, _ more: String) -> String {
        guard kind == .show else { return "0" }
        return "((o.id IS NULL OR o.ghost OR o.kept) AND EXISTS (SELECT 1 \(row(kind)) \(more)))"
    }

    /// The ETag of the version that was pruned.
    static func etag(_ kind: Kind) -> String { kind == .show ? "(SELECT p.etag \(row(kind)))" : "NULL" }

    private static func row(_ kind: Kind) -> String {
        "FROM pruned p WHERE p.kind = '\(kind.name)' AND p.id = m.id"
    }

    /// The condition that a pruned show ended at the moment `?1`, or later; without one, of each.
    static let isKeptAgain = "kind = 'show' AND (?1 IS NULL OR \(end("ended_at")) >= julianday(?1))"

    /// When what a column says ended, in days; a mere date lasts until the day is over. `NULL` for anything else.
    static func end(_ column: String) -> String {
        """
        CASE WHEN \(column) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
          THEN julianday(\(column), CASE length(\(column)) WHEN 10 THEN '+1 day' ELSE '+0 days' END) END
        """
    }
}
