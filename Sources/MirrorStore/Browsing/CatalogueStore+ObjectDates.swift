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

    /// When the object was first stored, and when it last changed. The first is `nil` if the log begins later.
    ///
    /// Two look-ups in the index of kinds and ids.
    package func dates(of kind: Kind, _ id: String) throws -> (first: DatedChange?, last: DatedChange?) {
        try read { db in
            func change(_ condition: String, _ order: String) throws -> DatedChange? {
                try db.row(
                    """
                    SELECT seq, at, run FROM change INDEXED BY change_of_object
                    WHERE kind = ? AND id = ? AND owner IS NULL AND \(condition) AND NOT \(ChangeLog.isForClientsOnly)
                    ORDER BY seq \(order) LIMIT 1
                    """, [kind.name, id]
                ).map { DatedChange(seq: $0[0], at: $0[1], run: $0[2]) }
            }
            return (try change("action = 'create'", "ASC"), try change("1", "DESC"))
        }
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

    /// The latest deletion of an object, found by its id; `nil` if it is stored, was never deleted, or the log begins later.
    package func lastDeletion(of kind: Kind, _ id: String) throws -> LoggedDeletion? {
        try read { db in
            let sql = """
                SELECT id, at, run, json_extract(before, '$.body'), evidence, action FROM change INDEXED BY change_of_object
                WHERE kind = ? AND id = ? AND owner IS NULL AND list IS NULL ORDER BY seq DESC LIMIT 1
                """
            guard let row = try db.row(sql, [kind.name, id]), row[5] == "delete", let text: String = row[3],
                let body = try? JSONValue(parsing: text).objectValue
            else { return nil }
            return LoggedDeletion(id: row[0], at: row[1], run: row[2], body: body, evidence: row[4])
        }
    }

    /// When an object that is only referred to was last requested; `nil` if it never was.
    package func lastTry(of kind: Kind, _ id: String) throws -> String? {
        try read { try $0.text("SELECT tried_at FROM ghost_try WHERE kind = ? AND id = ?", [kind.name, id]) }
    }
}
