import Catalogue
import Foundation
import GRDB

extension CatalogueStore {
    /// Makes the next sync fetch pruned shows that are wanted again.
    ///
    /// In one transaction, their rows in `pruned` are deleted, the list of shows is marked as unclean, and the since date of
    /// shows is deleted.
    ///
    /// - Parameter limit: shows that ended at this time or later are wanted; `nil` for all.
    /// - Returns: whether there were any.
    package func forgetPruned(endedSince limit: Date?) throws -> Bool {
        try write { db in
            try db.run("DELETE FROM pruned WHERE \(Pruned.isWantedAgain)", [limit.map(Self.text)])
            guard db.changesCount > 0 else { return false }
            try ListWriter.markNotClean(.show, in: db)
            try SinceWriter(db: db).forget([.show])
            return true
        }
    }

    /// Removes the shows that ended before `limit`, with their parts, in one transaction. Idempotent.
    ///
    /// Removed shows are in the change log. These shows are not removed:
    ///
    /// - shows without an end, or with the status `running`;
    /// - kept and linked shows;
    /// - shows with notes or with a kept document;
    /// - shows that are marked for refetching. The exception is a show without an ETag that lost its slug to a rival: it would be
    ///   fetched and marked again in each run.
    ///
    /// - Parameters:
    ///   - limit: `nil` removes none.
    ///   - keptDays: how many days shows are kept after their end, for the change log.
    /// - Returns: the number of removed shows.
    package func pruneShows(endedBefore limit: Date?, keptDays: Int, run: Int64) throws -> Int {
        try write { db in
            let log = try ChangeLog(self, db, run: run)
            try forgetReturned(db, run: run)
            guard let limit else { return 0 }
            let ended = try db.rows(Self.endedShows, [Self.text(of: limit), "[]"])
            guard !ended.isEmpty else { return 0 }
            for show in ended {
                let id: String = show[0], end: String = show[2]
                try ObjectRemover(log: log).remove(.show, id, evidence: .ended(on: end, keptDays: keptDays))
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

    /// The shows that ``pruneShows(endedBefore:keptDays:run:)`` would remove, and the number of shows that
    /// ``forgetPruned(endedSince:)`` would make the next sync fetch.
    ///
    /// - Parameter confirmed: the ids of shows that are marked for refetching, but will be fetched without changes before that.
    package func planPruning(
        endedBefore limit: Date?, confirmed: Set<String> = []
    ) throws -> (ids: [String], returning: Int) {
        try read { db in
            let returning =
                try db.number(
                    "SELECT count(*) FROM pruned WHERE \(Pruned.isWantedAgain)", [limit.map(Self.text)]) ?? 0
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

    /// Deletes rows of `pruned` for shows that are stored again, or that the list of shows no longer contains.
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

    /// The ETags of pruned shows at the time of pruning, by id; `nil` if the server sent none.
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

/// SQL conditions on pruned shows, which were removed because they ended long ago.
///
/// The list of shows still names them. They are not fetched again as long as the server has the version that was pruned.
enum Pruned {
    /// SQL: whether the member `m` of a list was pruned, and its row `o` is missing, a ghost or only a kept copy.
    static func isOut(_ kind: Kind) -> String { isOut(kind, "") }

    /// SQL: whether, in addition, the list has the ETag of the pruned version, so that nothing has to be fetched.
    static func isLeftOut(_ kind: Kind) -> String { isOut(kind, "AND p.etag = m.etag") }

    private static func isOut(_ kind: Kind, _ more: String) -> String {
        guard kind == .show else { return "0" }
        return "((o.id IS NULL OR o.ghost OR o.kept) AND EXISTS (SELECT 1 \(row(kind)) \(more)))"
    }

    /// SQL: the ETag of the pruned version of the member `m`.
    static func etag(_ kind: Kind) -> String { kind == .show ? "(SELECT p.etag \(row(kind)))" : "NULL" }

    private static func row(_ kind: Kind) -> String {
        "FROM pruned p WHERE p.kind = '\(kind.name)' AND p.id = m.id"
    }

    /// SQL: whether a pruned show ended at the time `?1` or later. True for all pruned shows if `?1` is `NULL`.
    static let isWantedAgain = "kind = 'show' AND (?1 IS NULL OR \(end("ended_at")) >= julianday(?1))"

    /// SQL: the end in a column as a Julian day. A date without a time ends with that day. `NULL` for other texts.
    static func end(_ column: String) -> String {
        """
        CASE WHEN \(column) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
          THEN julianday(\(column), CASE length(\(column)) WHEN 10 THEN '+1 day' ELSE '+0 days' END) END
        """
    }
}
