import Catalogue
import GRDB

/// Keeps what visitors see of the change log, and the numbers of changes by run and day.
///
/// Visitors see no changes of hidden objects and fields. To decide that, both states of an object are compared, which takes
/// too long for a page. So it is done once for each change, at the end of a run, beside the search index.
///
/// An object that becomes hidden loses its earlier changes here, and their numbers. If it is shown again, it is new.
struct ShownHistory {
    let db: Database
    let kinds: Kinds

    private var states: PastStates { PastStates(db: db) }
    private static let face = Face.visitors

    // MARK: - Marking changes

    /// Decides for the next changes after the change `seq` what visitors see of them.
    ///
    /// - Returns: the last of these changes; `nil` if there was none.
    func mark(after seq: Int64, limit: Int, tallied: Int64) throws -> Int64? {
        let rows = try db.rows(
            """
            SELECT seq, kind, id, owner, run, action, list, evidence, \(ChangeLog.stateBefore("change"))
            FROM change WHERE seq > ? ORDER BY seq LIMIT ?
            """, [seq, limit])
        for row in rows {
            guard let change = Marked(row, among: kinds), let action = try action(of: change, tallied) else {
                continue
            }
            var insert = try FastStatement(
                db, "INSERT OR REPLACE INTO shown_change (seq, run, action) VALUES (?, ?, ?)")
            try insert.run(change.seq, row[4] as Int64?, Int64(action.rawValue))
        }
        return rows.last?[0]
    }

    /// A change to decide about.
    private struct Marked {
        let seq: Int64
        let object: ChangedObject
        let action: LoggedChange.Action
        let list: String?
        let before: String?

        /// `nil` for changes that nobody sees on a page.
        init?(_ row: Row, among kinds: Kinds) {
            let evidence: String? = row[7], list: String? = row[6], before: String? = row[8]
            guard evidence != LoadEntry.evidence, list == nil || before != nil,
                let object = ChangedObject(kind: row[1], id: row[2], owner: row[3], among: kinds),
                let action = LoggedChange.Action(rawValue: row[5])
            else { return nil }
            (seq, self.object, self.action) = (row[0], object, action)
            (self.list, self.before) = (list, before)
        }
    }

    private func action(of change: Marked, _ tallied: Int64) throws -> ShownAction? {
        let object = change.object
        guard Self.face.shows(object.kind) else { return nil }
        if let list = change.list { return try showsList(change, list) ? .updated : nil }
        switch change.action {
        case .create:
            if try showsState(of: object, after: change.seq) { return .created }
            // It was there before and was deleted, and comes back hidden.
            if try wasShown(object, before: change.seq) { try forget(object, before: change.seq, tallied) }
            return nil
        case .delete:
            guard let body = Self.object(change.before) else { return nil }
            return Self.face.shows(body, of: object.kind) ? .deleted : nil
        case .update:
            let after = Self.object(try states.state(of: object, nil, after: change.seq))
            let seen = SeenChange(
                object.kind, before: Self.object(change.before), after: after, to: Self.face)
            guard seen?.action == .deleted else { return seen?.action }
            try forget(object, before: change.seq, tallied)
            return nil
        }
    }

    /// Whether visitors may see an object in its state after a change.
    ///
    /// For kinds of which nothing is hidden, nothing is read, and for an object without later changes no JSON: a first sync
    /// creates hundreds of thousands.
    private func showsState(of object: ChangedObject, after seq: Int64) throws -> Bool {
        let kind = object.kind, isHidden = Face.isHidden(kind, "o")
        guard isHidden != "0" else { return true }
        let current = try db.row(
            """
            SELECT \(isHidden) FROM "\(kind.table)" o WHERE id = ?1 AND ghost = 0 AND NOT EXISTS (
              SELECT 1 FROM change c WHERE c.kind = ?2 AND c.id = ?1 AND c.seq > ?3 AND c.list IS NULL)
            """, [object.id, kind.name, seq])
        if let current { return !(current[0] as Bool) }
        guard let body = Self.object(try states.state(of: object, nil, after: seq)) else { return true }
        return Self.face.shows(body, of: kind)
    }

    /// Whether visitors see an earlier change of an object.
    private func wasShown(_ object: ChangedObject, before seq: Int64) throws -> Bool {
        try db.isTrue(
            """
            SELECT EXISTS (SELECT 1 FROM change c INDEXED BY change_of_object CROSS JOIN shown_change s ON s.seq = c.seq
              WHERE c.kind = ?1 AND c.id = ?2 AND c.owner IS NULL AND c.seq < ?3)
            """, [object.kind.name, object.id, seq])
    }

    private func showsList(_ change: Marked, _ list: String) throws -> Bool {
        guard try showsState(of: change.object, after: change.seq) else { return false }
        let after = try states.state(of: change.object, list, after: change.seq)
        guard let members = try? MemberChanges(old: change.before, new: after) else { return false }
        guard list == ObjectList.artworks.rawValue else { return !members.isEmpty }
        guard try !(members.added + members.removed).contains(where: { try showsArtwork($0) }) else {
            return true
        }
        return try members.isReordered && members.filtered { try showsArtwork($0) }.isReordered
    }

    /// Whether visitors may see an artwork, or could when it was deleted. An artwork that was never stored counts as visible.
    func showsArtwork(_ id: String) throws -> Bool {
        let hidden = try db.row(
            "SELECT \(Face.isHidden(.artwork, "artwork")) FROM artwork WHERE id = ? AND ghost = 0", [id])
        if let hidden { return !(hidden[0] as Bool) }
        let body = try db.text(
            """
            SELECT \(ChangeLog.deletedObject("change"))
            FROM change INDEXED BY change_of_object WHERE kind = 'artwork' AND id = ? AND action = 'delete' ORDER BY seq DESC LIMIT 1
            """, [id])
        return Self.object(body).map { Self.face.shows($0, of: .artwork) } ?? true
    }

    /// A state in the log; `nil` also for one that is damaged, so that it doesn't stop every later run.
    private static func object(_ json: String?) -> JSONObject? { try? JSONObject(logged: json) }

    /// Removes an object's changes before a change, and their numbers: it is hidden now.
    private func forget(_ object: ChangedObject, before seq: Int64, _ tallied: Int64) throws {
        let rows = "c.kind = ?1 AND c.id = ?2 AND c.owner IS NULL AND c.seq <= ?3"
        let object: StatementArguments = [object.kind.name, object.id]
        try db.run(
            Tally.adding(
                rows: rows, index: "INDEXED BY change_of_object", join: "JOIN", sign: -1, all: 0),
            object + [tallied])
        try forgetLoaded(object, before: seq, tallied)
        try db.run(
            """
            DELETE FROM shown_change
            WHERE seq IN (SELECT seq FROM change WHERE kind = ?1 AND id = ?2 AND owner IS NULL AND seq < ?3)
            """, object + [seq])
    }

    /// Subtracts an object from the numbers of the run that loaded it with a snapshot: the log has no change that created it.
    ///
    /// An object that was hidden when it was loaded was not counted. Then visitors saw a change that created it.
    private func forgetLoaded(_ object: StatementArguments, before seq: Int64, _ tallied: Int64) throws {
        try db.run(
            """
            UPDATE change_tally SET created = created - 1 WHERE kind = ?1 AND (run, day) = (
              SELECT coalesce(l.run, 0), substr(l.at, 1, 10) FROM change l INDEXED BY change_of_object
              WHERE l.kind = 'partner' AND l.evidence = '\(LoadEntry.evidence)' AND l.seq <= ?3 ORDER BY l.seq DESC LIMIT 1)
            AND NOT EXISTS (
              SELECT 1 FROM change c INDEXED BY change_of_object LEFT JOIN shown_change s ON s.seq = c.seq
              WHERE c.kind = ?1 AND c.id = ?2 AND c.owner IS NULL AND c.seq < ?4
                AND (c.action = 'create' OR s.action = \(ShownAction.created.rawValue)))
            """, object + [tallied, seq])
    }

    // MARK: - Numbers

    /// Adds the numbers of the changes after `first` up to `last`.
    ///
    /// If the same objects have earlier changes in the same run on the same day, all of these are counted again, together
    /// with the new ones: an object that was created and then changed counts as created only.
    func tally(after first: Int64, to last: Int64) throws {
        let rows: String
        if try db.isTrue("SELECT EXISTS (\(Tally.earlier))", [first, last]) {
            try add(rows: "c.seq IN (\(Tally.earlier))", sign: -1, first, last)
            rows = """
                c.seq IN (SELECT seq FROM change NOT INDEXED WHERE seq > ?1 AND seq <= ?2 UNION ALL \(Tally.earlier))
                """
        } else {
            rows = "c.seq > ?1 AND c.seq <= ?2"
        }
        try add(rows: rows, sign: 1, first, last)
        let load = try db.row(
            "SELECT run, at FROM change NOT INDEXED WHERE seq > ? AND seq <= ? AND evidence = ? LIMIT 1",
            [first, last, LoadEntry.evidence])
        if let load { try tallyLoaded(run: load[0] ?? 0, day: String((load[1] as String).prefix(10))) }
    }

    private func add(rows: String, sign: Int, _ first: Int64, _ last: Int64) throws {
        let sql = Tally.adding(rows: rows, index: "NOT INDEXED", join: "LEFT JOIN", sign: sign, all: sign)
        try db.run(sql, [first, last])
    }

    /// Adds the objects that were loaded as one snapshot. The log has a single entry for them, so they are counted in their
    /// tables.
    private func tallyLoaded(run: Int64, day: String) throws {
        for kind in kinds.all where kind != .partner && kind != .user {
            let stored = "FROM \"\(kind.table)\" o WHERE o.ghost = 0 AND o.kept = 0"
            try db.run(
                """
                INSERT INTO change_tally
                SELECT ?1, ?2, ?3, max(0, n.shown - t.shown), 0, 0, max(0, n.stored - t.stored), 0, 0
                FROM (SELECT count(*) AS stored, coalesce(sum(NOT (\(Face.isHidden(kind, "o")))), 0) AS shown \(stored)) n,
                  (SELECT coalesce(sum(all_created - all_deleted), 0) AS stored, coalesce(sum(created - deleted), 0) AS shown
                    FROM change_tally WHERE kind = ?3) t
                WHERE n.stored > t.stored
                ON CONFLICT (run, day, kind) DO UPDATE SET created = created + excluded.created,
                  all_created = all_created + excluded.all_created
                """, [run, day, kind.name])
        }
    }

    private enum Tally {
        /// SQL: the counted changes up to `?1` of the objects that changed again up to `?2` in the same run on the same day.
        ///
        /// The numbers are asked first whether they have changes of the run, so that for a first sync no earlier row is
        /// looked for.
        static let earlier = """
            SELECT o.seq FROM change n NOT INDEXED CROSS JOIN change o INDEXED BY change_of_object
              ON o.kind = n.kind AND o.id = n.id AND o.seq <= ?1 AND o.owner IS n.owner AND o.run IS n.run
              AND substr(o.at, 1, 10) = substr(n.at, 1, 10)
            WHERE n.seq > ?1 AND n.seq <= ?2 AND EXISTS (
              SELECT 1 FROM change_tally t
              WHERE t.run = coalesce(n.run, 0) AND t.day = substr(n.at, 1, 10) AND t.kind = n.kind)
            """

        /// SQL: adds the numbers of rows of the log, each object once for each run and day, as
        /// ``CatalogueStore/changeCounts(run:)`` does.
        ///
        /// - Parameters:
        ///   - rows: a condition on the row `c` of the log.
        ///   - join: how the row `s` of `shown_change` is joined.
        ///   - sign: 1, or -1 to subtract what visitors see.
        ///   - all: 1 or -1 to add or subtract all changes in the other columns; 0 to leave these.
        static func adding(rows: String, index: String, join: String, sign: Int, all: Int) -> String {
            let altersList = "(c.kind = 'location' AND c.list IS NOT NULL)"
            func net(_ prefix: String) -> [String] {
                [
                    "sum(\(prefix)born AND NOT \(prefix)died)",
                    "sum(\(prefix)altered AND NOT \(prefix)born AND NOT \(prefix)died)",
                    "sum(\(prefix)died AND NOT \(prefix)born)",
                ]
            }
            let numbers = net("s_").map { "\(sign) * \($0)" } + net("").map { "\(all) * \($0)" }
            let columns = ["created", "updated", "deleted", "all_created", "all_updated", "all_deleted"]
            return """
                INSERT INTO change_tally SELECT run, day, kind, \(numbers.joined(separator: ", ")) FROM (
                  SELECT coalesce(c.run, 0) AS run, substr(c.at, 1, 10) AS day, c.kind AS kind,
                    coalesce(max(s.action = 1), 0) AS s_born, coalesce(max(s.action = 3), 0) AS s_died,
                    coalesce(max(s.action = 2 AND NOT \(altersList)), 0) AS s_altered,
                    max(c.action = 'create') AS born, max(c.action = 'delete') AS died,
                    max(c.action = 'update' AND NOT \(altersList)) AS altered
                  FROM change c \(index) \(join) shown_change s ON s.seq = c.seq
                  WHERE \(rows) AND NOT (c.list IS NOT NULL AND c.before IS NULL)
                    AND c.evidence IS NOT '\(LoadEntry.evidence)'
                  GROUP BY 1, 2, c.kind, c.owner, c.id
                ) WHERE true GROUP BY run, day, kind
                ON CONFLICT (run, day, kind) DO UPDATE
                SET \(columns.map { "\($0) = \($0) + excluded.\($0)" }.joined(separator: ", "))
                """
        }
    }
}
