import Catalogue
import GRDB

/// The numbers of objects that were new, changed or gone.
package struct ChangeTally: Sendable, Hashable {
    package var created = 0
    package var updated = 0
    package var deleted = 0

    package init(created: Int = 0, updated: Int = 0, deleted: Int = 0) {
        (self.created, self.updated, self.deleted) = (created, updated, deleted)
    }

    package static func + (left: ChangeTally, right: ChangeTally) -> ChangeTally {
        ChangeTally(
            created: left.created + right.created, updated: left.updated + right.updated,
            deleted: left.deleted + right.deleted)
    }

    /// SQL: the three sums of the columns that a face may see.
    fileprivate static func sums(_ face: Face) -> String {
        ["created", "updated", "deleted"].map { "sum(\(face.seesAll ? "all_" : "")\($0))" }.joined(
            separator: ", ")
    }

    fileprivate init(_ row: Row, from index: Int) {
        // A number can't be negative; if the tables were damaged, nothing is better than that.
        (created, updated, deleted) = (max(0, row[index]), max(0, row[index + 1]), max(0, row[index + 2]))
    }
}

/// Which changes a page of the history lists.
package enum ChangeScope: Sendable, Hashable {
    case all
    case run(Int64)
    case object(Kind, String)
}

/// The history as a face may see it: changes, and their numbers. All queries use indexes, and none depends on the length of
/// the log.
///
/// They are as of the last end of a run (``CatalogueStore/updateShownHistory()``). Only staff see later changes in lists.
extension CatalogueStore {
    /// Changes, newest first.
    ///
    /// - Parameters:
    ///   - seq: only changes before this one; `nil` for the newest.
    ///   - later: instead, only changes after this one: those next to it.
    /// - Returns: at most `limit` changes, and whether there are more before or, with `later`, after them.
    package func shownChanges(
        _ scope: ChangeScope, to face: Face, before seq: Int64? = nil, after later: Int64? = nil, limit: Int
    ) throws -> (changes: [LoggedChange], hasMore: Bool) {
        let (sql, arguments) = face.seesAll ? Self.allChanges(scope) : Self.shownChanges(scope)
        // The number of the row that is read first: only then the rows are in the order of an index.
        let order = sql.hasPrefix("shown_change") ? "s.seq" : "c.seq"
        let (sign, direction) = later == nil ? ("<", "DESC") : (">", "ASC")
        return try read { db in
            let rows = try db.rows(
                """
                SELECT c.seq, c.run, c.at, c.kind, c.id, c.owner, c.action, c.list, c.evidence, \(ChangeLog.stateBefore("c"))
                FROM \(sql) AND \(order) \(sign) ? ORDER BY \(order) \(direction) LIMIT ?
                """, arguments + [later ?? seq ?? Int64.max, limit + 1])
            let states = PastStates(db: db)
            let changes = try rows.prefix(limit).compactMap { row -> LoggedChange? in
                guard let object = ChangedObject(kind: row[3], id: row[4], owner: row[5], among: kinds),
                    let action = LoggedChange.Action(rawValue: row[6])
                else { return nil }
                let seq: Int64 = row[0], list: String? = row[7]
                let after = action == .delete ? nil : try states.state(of: object, list, after: seq)
                return LoggedChange(
                    seq: seq, run: row[1], at: row[2], object: object, action: action, list: list,
                    before: row[9],
                    after: after, evidence: row[8])
            }
            return (later == nil ? changes : changes.reversed(), rows.count > limit)
        }
    }

    private static func shownChanges(_ scope: ChangeScope) -> (String, StatementArguments) {
        switch scope {
        case .all: ("shown_change s CROSS JOIN change c ON c.seq = s.seq WHERE 1", [])
        case .run(let run):
            (
                "shown_change s INDEXED BY shown_change_of_run CROSS JOIN change c ON c.seq = s.seq WHERE s.run = ?",
                [run]
            )
        case .object(let kind, let id):
            (
                """
                change c INDEXED BY change_of_object CROSS JOIN shown_change s ON s.seq = c.seq
                WHERE c.kind = ? AND c.id = ? AND c.owner IS NULL
                """, [kind.name, id]
            )
        }
    }

    private static func allChanges(_ scope: ChangeScope) -> (String, StatementArguments) {
        let shown = """
            NOT (c.list IS NOT NULL AND c.before IS NULL) AND c.evidence IS NOT '\(LoadEntry.evidence)'
            """
        return switch scope {
        case .all: ("change c NOT INDEXED WHERE \(shown)", [])
        case .run(let run):
            // The bounds avoid reading the log before and after the run.
            (
                """
                change c NOT INDEXED WHERE \(shown) AND c.run = ?1
                  AND c.seq >= (SELECT first_change FROM sync_log WHERE run = ?1)
                  AND c.seq < coalesce(
                    (SELECT n.first_change FROM sync_log n WHERE n.run > ?1 ORDER BY n.run LIMIT 1), 9223372036854775807)
                """, [run]
            )
        case .object(let kind, let id):
            (
                "change c INDEXED BY change_of_object WHERE \(shown) AND c.kind = ? AND c.id = ? AND c.owner IS NULL",
                [kind.name, id]
            )
        }
    }

    /// Whether visitors may see an artwork, or could when it was deleted.
    package func showsArtwork(_ id: String) throws -> Bool { try !shownArtworks([id]).isEmpty }

    /// The artworks that visitors may see, or could when they were deleted. Those that were never stored are included.
    package func shownArtworks(_ ids: [String]) throws -> Set<ExactText> {
        try read { db in
            let history = ShownHistory(db: db, kinds: kinds)
            return try Set(ids.filter(history.showsArtwork).map(ExactText.init))
        }
    }

    /// The runs whose changes are counted: all of them were counted at the end of a run. Local changes after a run, such as a
    /// new album, are not its own.
    package func countedRuns(_ runs: [Int64]) throws -> Set<Int64> {
        try read { db in
            let tallied = try Self.shown(in: db).tallied
            return try Set(
                runs.filter { run in
                    // The bounds avoid reading the log before and after the run.
                    try db.isTrue(
                        """
                        SELECT coalesce(
                          (SELECT c.seq FROM change c NOT INDEXED WHERE c.run = ?1
                            AND c.seq >= (SELECT first_change FROM sync_log WHERE run = ?1)
                            AND c.seq < coalesce(
                              (SELECT n.first_change FROM sync_log n WHERE n.run > ?1 ORDER BY n.run LIMIT 1),
                              9223372036854775807)
                            ORDER BY c.seq DESC LIMIT 1), 0) <= ?2
                        """, [run, tallied])
                })
        }
    }

    /// A stored object's name and slug, if the face may see it; `nil` otherwise, and for an object that is only referred to.
    package func shownSummary(_ kind: Kind, _ id: String, to face: Face) throws -> ObjectSummary? {
        guard face.shows(kind) else { return nil }
        let sql = """
            SELECT \(ObjectSummary.columns(kind)) FROM "\(kind.table)" o
            WHERE id = ? AND ghost = 0 AND \(face.isVisible(kind, "o")) LIMIT 1
            """
        return try read { try $0.row(sql, [id]).map { ObjectSummary(kind, $0) } }
    }

    /// Whether an object is stored, and hidden from visitors.
    package func isHidden(_ kind: Kind, _ id: String) throws -> Bool {
        let sql = "SELECT \(Face.isHidden(kind, "o")) FROM \"\(kind.table)\" o WHERE id = ? AND ghost = 0"
        return try read { try $0.isTrue(sql, [id]) }
    }

    /// Whether a run loaded a snapshot, whose objects the log doesn't have one by one.
    package func hasLoadedSnapshot(_ run: Int64) throws -> Bool {
        try read {
            try $0.isTrue(
                """
                SELECT EXISTS (SELECT 1 FROM change INDEXED BY change_of_object
                  WHERE kind = 'partner' AND run = ? AND evidence = ?)
                """, [run, LoadEntry.evidence])
        }
    }

    // MARK: - Numbers

    /// The numbers of changes of runs, by kind. Runs without changes are left out.
    package func tallies(ofRuns runs: [Int64], to face: Face) throws -> [Int64: [Kind: ChangeTally]] {
        try read { db in
            var tallies: [Int64: [Kind: ChangeTally]] = [:]
            for run in runs {
                try db.forEach(
                    "SELECT kind, \(ChangeTally.sums(face)) FROM change_tally WHERE run = ? GROUP BY kind",
                    [run]
                ) { row in
                    guard let kind = kinds[row[0]], face.shows(kind) else { return }
                    tallies[run, default: [:]][kind] = ChangeTally(row, from: 1)
                }
            }
            return tallies
        }
    }

    /// The numbers of changes of each day (UTC) from a day on, such as `2026-08-19`. Days without changes are left out.
    package func tallies(since day: String, to face: Face) throws -> [(day: String, tally: ChangeTally)] {
        try read { db in
            try db.rows(
                "SELECT day, \(ChangeTally.sums(face)) FROM change_tally WHERE day >= ? GROUP BY day", [day]
            ).map { ($0[0], ChangeTally($0, from: 1)) }
        }
    }

    /// Whether there are changes that are not counted yet, because a run is in progress or was stopped, or nothing was
    /// counted yet.
    package func isShownHistoryBehind() throws -> Bool {
        try read { db in
            try (db.value(Int64.self, "SELECT max(seq) FROM change") ?? 0) > Self.shown(in: db).tallied
        }
    }
}
