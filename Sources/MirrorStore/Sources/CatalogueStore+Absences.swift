import Catalogue
import GRDB

/// When an object that the lists of its kind lack is removed.
package struct AbsenceRule: Sendable, Hashable {
    /// The number of complete lists in a row that must lack the object; at least 1.
    package var lists: Int
    /// The minimum time from the first of these lists to the last.
    package var apart: Duration

    package init(lists: Int, apart: Duration) {
        self.lists = max(1, lists)
        self.apart = apart
    }
}

/// A stored object that the last complete list of its kind lacked.
public struct MissingObject: Sendable, Hashable {
    /// The object's kind, id and name.
    public let summary: ObjectSummary
    /// The number of complete lists in a row that lacked it. After each but the last, its own URL was absent.
    public let lists: Int
    /// The time of the first of these lists, in RFC 3339.
    public let firstAt: String
    /// The time of the last of these lists, in RFC 3339.
    public let lastAt: String
    /// Whether its own URL was absent when it was requested after the last list; `false` also if it was not requested.
    public let isAbsent: Bool
}

/// Counts the complete lists that lacked an object, in the table `absence`.
///
/// A list of a catalogue that doesn't report deletions may lack an object for a while. So an object is removed only if several
/// complete lists lacked it, and its own URL was absent after each of them.
extension CatalogueStore {
    /// Counts the objects that a kind's own list lacked, and forgets the counts of all other objects of the kind, in one
    /// transaction.
    ///
    /// Call it after the list was committed. The count begins again if the object's own URL was not absent after the list
    /// before. A run counts once, so a call with the same run again changes nothing.
    ///
    /// - Returns: the ids of the objects that the list lacked, in order. The run then requests their own URLs
    ///   (``noteAnswer(_:_:isAbsent:)``). Empty, without a change, if the list was not complete in this run.
    package func countAbsences(_ kind: Kind, run: Int64) throws -> [String] {
        try write(isServed: false) { db in
            let lists = try db.rows(
                """
                SELECT number, version FROM list
                WHERE owner_kind = 'partner' AND name = ? AND complete = 1 AND run = ?
                """, [kind.plural, run])
            guard lists.count == 1, let list = lists.first else { return [] }
            let ids = try Deleter.missing(kind, list: list[0], version: list[1], run: run, in: db)
            let missing = JSONValue.canonicalText(of: ids)
            try db.run(
                "DELETE FROM absence WHERE kind = ? AND id NOT IN (SELECT value FROM json_each(?))",
                [kind.name, missing])
            try db.run(
                """
                INSERT INTO absence (kind, id, lists, first_at, last_at, run)
                SELECT ?1, value, 1, ?2, ?2, ?3 FROM json_each(?4) WHERE true
                ON CONFLICT (kind, id) DO UPDATE SET
                  lists = iif(is_absent, lists + 1, 1), first_at = iif(is_absent, first_at, excluded.first_at),
                  last_at = excluded.last_at, run = excluded.run, is_absent = 0
                WHERE run IS NOT excluded.run
                """, [kind.name, timestamp(), run, missing])
            return ids
        }
    }

    /// Forgets the counts of objects that a list or a draft of it contains.
    package func forgetAbsences(_ kind: Kind, in draft: ListDraft) throws {
        guard try read({ try $0.isTrue("SELECT EXISTS (SELECT 1 FROM absence WHERE kind = ?)", [kind.name]) })
        else {
            return
        }
        try write(isServed: false) {
            try $0.run(
                """
                DELETE FROM absence WHERE kind = ?1
                  AND id IN (SELECT id FROM list_member WHERE list = ?2 AND version = ?3)
                """, [kind.name, draft.number, draft.version])
        }
    }

    /// Stores whether the own URL of an object that a list lacked is absent. Does nothing for other objects.
    ///
    /// - Parameter isAbsent: whether the server answered that it doesn't have the object; `false` if it sent the object.
    package func noteAnswer(_ kind: Kind, _ id: String, isAbsent: Bool) throws {
        try write(isServed: false) {
            try $0.run(
                "UPDATE absence SET is_absent = ?1 WHERE kind = ?2 AND id = ?3 AND is_absent IS NOT ?1",
                [isAbsent, kind.name, id])
        }
    }

    /// The ids of stored objects that a rule allows to be removed, in order.
    package func removable(_ kind: Kind, by rule: AbsenceRule) throws -> [String] {
        try read { db in
            try Absence.removable(kind, by: rule, in: db).map(\.id)
                .filter { try db.isTrue("SELECT 1 FROM \"\(kind.table)\" WHERE id = ? AND ghost = 0", [$0]) }
        }
    }

    /// Reads the objects of a kind that the last complete list lacked one by one, ordered by name.
    ///
    /// - Parameter body: called for each object. An error that it throws ends the reading and is thrown on.
    public func missing(_ kind: Kind, _ body: (MissingObject) throws -> Void) throws {
        guard kind.isListed else { return }
        let sql = """
            SELECT \(ObjectSummary.columns(kind, isLinked: false)), lists, first_at, last_at, is_absent
            FROM (SELECT id AS missing_id, lists, first_at, last_at, is_absent FROM absence WHERE kind = ?)
            CROSS JOIN "\(kind.table)" o ON id = missing_id
            WHERE ghost = 0 AND kept = 0 \(kind.isEdited ? "AND deleted = 0" : "") ORDER BY \(kind.orderOfNames)
            """
        try read { db in
            try db.forEach(sql, [kind.name]) {
                try body(
                    MissingObject(
                        summary: ObjectSummary(kind, $0), lists: $0[6], firstAt: $0[7], lastAt: $0[8],
                        isAbsent: $0[9]))
            }
        }
    }
}

/// A row of the table `absence`.
struct Absence: Sendable {
    let id: String
    let lists: Int
    let firstAt: String

    /// The objects that a rule allows to be removed, in the order of their ids.
    static func removable(_ kind: Kind, by rule: AbsenceRule, in db: Database) throws -> [Absence] {
        try db.rows(
            """
            SELECT id, lists, first_at FROM absence WHERE kind = ? AND is_absent = 1 AND lists >= ?
              AND strftime('%s', last_at) - strftime('%s', first_at) >= ? ORDER BY id
            """, [kind.name, rule.lists, rule.apart.components.seconds]
        ).map { Absence(id: $0[0], lists: $0[1], firstAt: $0[2]) }
    }
}
