import Catalogue
import GRDB

/// What the history page says of the completeness of a mirror, as far as it can be counted quickly.
package struct HistoryFacts: Sendable {
    /// An object that is referred to, and that the server doesn't have.
    package struct Ghost: Sendable, Hashable {
        package let kind: Kind
        package let id: String
        /// When it was last requested, in the store's format; `nil` if it never was.
        package let triedAt: String?
    }

    /// Pictures and documents that have a file here, and all that have an address; `nil` if there are too many to count.
    package var files: (here: Int, wanted: Int)?
    /// Objects to which something that the face may see refers; `nil` if there are too many.
    package var ghosts: [Ghost]?
    /// When the last complete verification of the mirror ended, in the store's format; `nil` if the log has none.
    package var verifiedAt: String?

    package init() {}

    /// The greatest number of files, and of objects that are only referred to, that are counted.
    static let most = (files: 2_000, ghosts: 20)
}

extension CatalogueStore {
    /// Reads how complete the mirror is, as far as a face may know.
    package func historyFacts(for face: Face) throws -> HistoryFacts {
        try read { db in
            var facts = HistoryFacts()
            facts.files = try Self.files(for: face, in: db)
            facts.ghosts = try ghosts(for: face, in: db)
            facts.verifiedAt = try db.text(
                """
                SELECT ended_at FROM sync_log WHERE command IN ('restore', 'verify') AND command = 'verify'
                  AND outcome = 'complete' ORDER BY run DESC LIMIT 1
                """)
            return facts
        }
    }

    private static func files(for face: Face, in db: Database) throws -> (here: Int, wanted: Int)? {
        let most = HistoryFacts.most.files
        let isWanted = "\(hasAddress) AND (i.artwork_id IS NULL OR \(face.isVisible(.artwork, "a")))"
        let pictures = """
            SELECT coalesce(sum(\(isWanted)), 0),
              coalesce(sum(\(isWanted) AND EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.hash IS NOT NULL
                AND NOT (\(ImageTile.isTile("f.format"))))), 0)
            FROM image i LEFT JOIN artwork a ON a.id = i.artwork_id
            """
        let documents = """
            SELECT coalesce(sum(uri IS NOT NULL AND kept = 0), 0),
              coalesce(sum(uri IS NOT NULL AND kept = 0 AND file IS NOT NULL), 0) FROM document
            """
        var sum = (here: 0, wanted: 0)
        for (table, sql) in [("image", pictures), ("document", documents)] {
            let rows = try db.number("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT ?)", [most + 1]) ?? 0
            guard rows <= most, let row = try db.row(sql) else { return nil }
            sum = (sum.here + row[1], sum.wanted + row[0])
        }
        return sum
    }

    private func ghosts(for face: Face, in db: Database) throws -> [HistoryFacts.Ghost]? {
        let most = HistoryFacts.most.ghosts
        var found: [HistoryFacts.Ghost] = []
        for kind in kinds.withGhosts where face.shows(kind) {
            let rows = try db.rows(
                """
                SELECT o.id, t.tried_at FROM "\(kind.table)" o LEFT JOIN ghost_try t ON t.kind = ? AND t.id = o.id
                WHERE o.ghost = 1 ORDER BY o.id LIMIT ?
                """, [kind.name, most + 1])
            guard found.count + rows.count <= most else { return nil }
            for row in rows where try face.seesAll || isReferredToVisibly(kind, row[0], in: db) {
                found.append(HistoryFacts.Ghost(kind: kind, id: row[0], triedAt: row[1]))
            }
        }
        return found
    }

    /// Whether one of the first objects that refer to a ghost may be seen by visitors.
    private func isReferredToVisibly(_ kind: Kind, _ id: String, in db: Database) throws -> Bool {
        try kinds.references(to: kind).contains { from, table, column in
            let owner = table == from.table ? "id" : from.idColumn
            return try db.isTrue(
                """
                SELECT EXISTS (SELECT 1 FROM (SELECT \(owner) AS owner FROM "\(table)" WHERE \(column) = ? LIMIT 100)
                  JOIN "\(from.table)" o ON o.id = owner WHERE o.ghost = 0 AND NOT (\(Face.isHidden(from, "o"))))
                """, [id])
        }
    }
}
