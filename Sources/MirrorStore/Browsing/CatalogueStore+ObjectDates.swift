import Catalogue
import GRDB

/// What the change log says of one object, for its page.
extension CatalogueStore {
    /// A logged change of an object: when, and in which run.
    package struct DatedChange: Sendable, Hashable {
        package let seq: Int64
        package let at: String
        /// `nil` outside a run.
        package let run: Int64?
    }

    /// When the object was first stored, and when it last changed, as far as a face may know. The first is `nil` if the log
    /// begins later. For an object that was loaded with a snapshot, it is that load.
    ///
    /// Two or three look-ups in the index of kinds and ids. Visitors don't see changes of hidden fields.
    package func dates(
        of kind: Kind, _ id: String, for face: Face
    ) throws -> (first: DatedChange?, last: DatedChange?) {
        let shown =
            face.seesAll ? "" : "AND seq IN (SELECT s.seq FROM shown_change s WHERE s.seq = change.seq)"
        return try read { db in
            func change(_ condition: String, _ order: String) throws -> DatedChange? {
                try db.row(
                    """
                    SELECT seq, at, run FROM change INDEXED BY change_of_object
                    WHERE kind = ? AND id = ? AND owner IS NULL AND \(condition) AND NOT \(ChangeLog.isForClientsOnly) \(shown)
                    ORDER BY seq \(order) LIMIT 1
                    """, [kind.name, id]
                ).map { DatedChange(seq: $0[0], at: $0[1], run: $0[2]) }
            }
            let first = try change("action = 'create'", "ASC")
            return (
                try first ?? Self.load(of: kind, id, for: face, in: db), try change("1", "DESC")
            )
        }
    }

    /// The load of the snapshot with which a stored object came; `nil` if it came otherwise, or the log begins later.
    package func load(of kind: Kind, _ id: String, for face: Face) throws -> DatedChange? {
        try read { try Self.load(of: kind, id, for: face, in: $0) }
    }

    /// The last load of a snapshot; `nil` if there was none, or the log begins later.
    package func lastLoad() throws -> DatedChange? { try read { try Self.lastLoad("1", [], in: $0) } }

    /// An object that was hidden when it was loaded came for visitors when they first saw it.
    private static func load(of kind: Kind, _ id: String, for face: Face, in db: Database) throws
        -> DatedChange?
    {
        let created =
            face.seesAll
            ? "c.action = 'create'"
            : """
            (c.action = 'create' OR EXISTS (
              SELECT 1 FROM shown_change s WHERE s.seq = c.seq AND s.action = \(ShownAction.created.rawValue)))
            """
        return try lastLoad(
            """
            NOT EXISTS (SELECT 1 FROM change c INDEXED BY change_of_object
              WHERE c.kind = ? AND c.id = ? AND c.owner IS NULL AND \(created))
            """, [kind.name, id], in: db)
    }

    private static func lastLoad(_ condition: String, _ arguments: StatementArguments, in db: Database) throws
        -> DatedChange?
    {
        try db.row(
            """
            SELECT l.seq, l.at, l.run FROM change l INDEXED BY change_of_object
            WHERE l.kind = 'partner' AND l.evidence = '\(LoadEntry.evidence)' AND \(condition)
            ORDER BY l.seq DESC LIMIT 1
            """, arguments
        ).map { DatedChange(seq: $0[0], at: $0[1], run: $0[2]) }
    }

    /// The deletion of an object that is no longer stored.
    package struct LoggedDeletion: Sendable {
        package let id: String
        package let at: String
        package let run: Int64?
        /// The object as it was.
        package let body: JSONObject
        /// The list that no longer contained it, or what else was the reason; `nil` if unknown.
        package let evidence: String?
    }

    /// The latest deletion of an object, found by its id or, if no object had that id, by its slug; `nil` if it is stored,
    /// was never deleted, or the log begins later.
    package func lastDeletion(of kind: Kind, _ key: String) throws -> LoggedDeletion? {
        try read { db in
            if let deletion = try Self.lastDeletion(of: kind, id: key, in: db) { return deletion }
            guard kind.hasSlug else { return nil }
            let id = try db.text(
                """
                SELECT id FROM change INDEXED BY change_deleted_slug
                WHERE action = 'delete' AND kind = ? AND \(Self.deletedSlug) = ? ORDER BY seq DESC LIMIT 1
                """, [kind.name, key])
            return try id.flatMap { try Self.lastDeletion(of: kind, id: $0, in: db) }
        }
    }

    /// SQL: the slug in the logged state of a deleted object. The index `change_deleted_slug` has the same expression.
    static let deletedSlug = "CASE WHEN json_valid(before) THEN json_extract(before, '$.body.slug') END"

    static func lastDeletion(of kind: Kind, id: String, in db: Database) throws -> LoggedDeletion? {
        let sql = """
            SELECT id, at, run, \(ChangeLog.deletedObject("change")), evidence, action
            FROM change INDEXED BY change_of_object
            WHERE kind = ? AND id = ? AND owner IS NULL AND list IS NULL ORDER BY seq DESC LIMIT 1
            """
        guard let row = try db.row(sql, [kind.name, id]), row[5] == "delete", let text: String = row[3],
            let body = try? JSONValue(parsing: text).objectValue
        else { return nil }
        return LoggedDeletion(id: row[0], at: row[1], run: row[2], body: body, evidence: row[4])
    }

    /// When an object that is only referred to was last requested; `nil` if it never was.
    package func lastTry(of kind: Kind, _ id: String) throws -> String? {
        try read { try $0.text("SELECT tried_at FROM ghost_try WHERE kind = ? AND id = ?", [kind.name, id]) }
    }
}
