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

    /// How far a mirror has followed its server's events. Times are in the store's format.
    package struct Following: Sendable, Hashable {
        /// When the events were last read to their end.
        package let readAt: String
        /// When an event last changed something; `nil` if none has since the last complete sync.
        package let appliedAt: String?

        package init(readAt: String, appliedAt: String?) {
            (self.readAt, self.appliedAt) = (readAt, appliedAt)
        }
    }

    /// Pictures and documents that have a file here, and all that have an address; `nil` if there are too many to count.
    package var files: (here: Int, wanted: Int)?
    /// Objects to which something that the face may see refers; `nil` if there are too many.
    package var ghosts: [Ghost]?
    /// How far the mirror has followed its server's events since its last complete sync; `nil` if it hasn't.
    package var following: Following?

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
            facts.following = try Self.following(in: db)
            return facts
        }
    }

    /// The pictures of artworks that a face may see: those with a file that a page can show, and all that have an address;
    /// `nil` if there are too many to count.
    package func pictureCounts(for face: Face) throws -> (here: Int, wanted: Int)? {
        try read { db in
            try Self.pictures(
                that: "i.artwork_id IS NOT NULL AND \(Self.isVisible(to: face))",
                withFile: "f.format <> 'square'", in: db)
        }
    }

    private static func files(for face: Face, in db: Database) throws -> (here: Int, wanted: Int)? {
        guard let pictures = try pictures(that: isVisible(to: face), in: db),
            let documents = try documents(in: db)
        else { return nil }
        return (here: pictures.here + documents.here, wanted: pictures.wanted + documents.wanted)
    }

    /// SQL: whether a face may see a picture `i` of the artwork `a` or of a show.
    private static func isVisible(to face: Face) -> String {
        "(i.artwork_id IS NULL OR \(face.isVisible(.artwork, "a")))"
    }

    /// Counts pictures.
    ///
    /// - Parameters:
    ///   - condition: SQL: whether a picture `i` counts.
    ///   - file: SQL: whether a stored file `f` counts. Default: all but tiles.
    private static func pictures(
        that condition: String, withFile file: String = "1", in db: Database
    ) throws -> (here: Int, wanted: Int)? {
        let isWanted = "\(hasAddress) AND \(condition)"
        return try count(
            of: "image",
            """
            SELECT coalesce(sum(\(isWanted)), 0),
              coalesce(sum(\(isWanted) AND EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.hash IS NOT NULL
                AND \(file) AND NOT (\(ImageTile.isTile("f.format"))))), 0)
            FROM image i LEFT JOIN artwork a ON a.id = i.artwork_id
            """, in: db)
    }

    private static func documents(in db: Database) throws -> (here: Int, wanted: Int)? {
        try count(
            of: "document",
            """
            SELECT coalesce(sum(uri IS NOT NULL AND kept = 0), 0),
              coalesce(sum(uri IS NOT NULL AND kept = 0 AND file IS NOT NULL), 0) FROM document
            """, in: db)
    }

    /// The two numbers of a query, wanted and here; `nil` if the table has too many rows.
    private static func count(of table: String, _ sql: String, in db: Database) throws -> (
        here: Int, wanted: Int
    )? {
        let most = HistoryFacts.most.files
        let rows = try db.number("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT ?)", [most + 1]) ?? 0
        guard rows <= most, let row = try db.row(sql) else { return nil }
        let wanted: Int = row[0], here: Int = row[1]
        return (here: here, wanted: wanted)
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
            for row in rows where try shows(ghost: kind, row[0], to: face, in: db) {
                found.append(HistoryFacts.Ghost(kind: kind, id: row[0], triedAt: row[1]))
            }
        }
        return found
    }

    /// Whether a face may know of an object that is only referred to: it may see an object that refers to it, and, if it was
    /// deleted, what it was.
    package func shows(ghost kind: Kind, _ id: String, to face: Face) throws -> Bool {
        try read { try shows(ghost: kind, id, to: face, in: $0) }
    }

    private func shows(ghost kind: Kind, _ id: String, to face: Face, in db: Database) throws -> Bool {
        guard !face.seesAll else { return true }
        guard try isReferredToVisibly(kind, id, in: db) else { return false }
        return try Self.lastDeletion(of: kind, id: id, in: db).map { face.shows($0.body, of: kind) } ?? true
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
