import Catalogue
import GRDB

extension CatalogueStore {
    /// Reads logged changes and conflicts, newest first, as of one instant.
    ///
    /// Rows are read one by one, so memory use doesn't depend on their number.
    ///
    /// - Parameters:
    ///   - filter: selects the changes.
    ///   - turn: called before the first change of each run. The run is `nil` for changes outside a run, or by a run that is no
    ///     longer in the log.
    ///   - conflict: called for each conflict, before the changes that were made with it.
    ///   - body: called for each change.
    package func history(
        _ filter: ChangeFilter, turn: (RunRecord?) throws -> Void = { _ in },
        conflict: (LoggedConflict) throws -> Void = { _ in },
        _ body: (LoggedChange) throws -> Void
    ) throws {
        try read { db in
            let states = PastStates(db: db)
            let (condition, arguments) = filter.condition
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT seq, run, at, kind, id, owner, action, list, evidence,
                      CASE action WHEN 'delete' THEN json_extract(before, '$.body') ELSE before END
                    FROM change WHERE \(condition) ORDER BY seq DESC \(filter.limit.map { "LIMIT \($0)" } ?? "")
                    """, arguments: arguments)
            var last: Int64??
            func enter(_ run: Int64?) throws {
                guard last != .some(run) else { return }
                try turn(try run.flatMap { try Self.loggedRun($0, in: db) })
                last = .some(run)
            }
            var conflicts = try Self.conflicts(filter, in: db)[...]
            func reportConflicts(since time: String) throws {
                while let next = conflicts.first, next.at >= time {
                    conflicts.removeFirst()
                    try enter(next.run)
                    try conflict(next)
                }
            }
            while let row = try rows.next() {
                guard let object = ChangedObject(kind: row[3], id: row[4], owner: row[5], among: kinds),
                    let action = LoggedChange.Action(rawValue: row[6])
                else { continue }
                let seq: Int64 = row[0], list: String? = row[7]
                let run: Int64? = row[1]
                try reportConflicts(since: row[2])
                try enter(run)
                try body(
                    LoggedChange(
                        seq: seq, run: run, at: row[2], object: object, action: action, list: list,
                        before: row[9],
                        after: action == .delete ? nil : try states.state(of: object, list, after: seq),
                        evidence: row[8]))
            }
            try reportConflicts(since: "")
        }
    }

    /// The conflicts that a filter selects, newest first.
    package func conflicts(_ filter: ChangeFilter) throws -> [LoggedConflict] {
        try read { try Self.conflicts(filter, in: $0) }
    }

    private static func conflicts(_ filter: ChangeFilter, in db: Database) throws -> [LoggedConflict] {
        try db.rows(
            """
            SELECT seq, run, at, kind, id, resolution, local, server FROM conflict
            WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR id = ?2) AND (?3 IS NULL OR at >= ?3)
              AND (?4 IS NULL OR run = ?4) ORDER BY seq DESC LIMIT ?5
            """, [filter.kind?.name, filter.id, filter.since, filter.run, filter.limit ?? -1]
        ).compactMap { row in
            AlbumConflict.Outcome(rawValue: row[5]).map {
                LoggedConflict(
                    seq: row[0], run: row[1], at: row[2], kind: row[3], id: row[4], resolution: $0,
                    local: row[6], server: row[7])
            }
        }
    }

    /// The number of the last change; 0 if none is logged.
    package func lastChange() throws -> Int64 {
        try read { try $0.value(Int64.self, "SELECT max(seq) FROM change") ?? 0 }
    }

    // MARK: - Between two moments

    /// The number of the last change at the end of a run.
    ///
    /// - Returns: `nil` for a run that isn't in the log, or no longer is; 0 for run 0, the state before the first run.
    package func lastChange(ofRun run: Int64) throws -> Int64? {
        if run == 0 { return 0 }
        let sql = """
            SELECT coalesce((SELECT max(c.seq) FROM change c WHERE c.run = l.run AND c.seq >= l.first_change
              AND c.seq < coalesce((SELECT n.first_change FROM sync_log n WHERE n.run > l.run
                ORDER BY n.run LIMIT 1), 9223372036854775807)), l.first_change - 1)
            FROM sync_log l WHERE l.run = ?
            """
        return try read { try $0.value(Int64.self, sql, [run]) }
    }

    /// Reads the net changes between two moments, by kind and id, as of one instant.
    ///
    /// This includes objects that changed and have the same value again. The caller compares the JSON, because two different
    /// texts can have the same meaning.
    ///
    /// - Parameters:
    ///   - from: the number of the last change before the first moment.
    ///   - to: the number of the last change before the second moment. If it is smaller than `from`, the changes are reversed.
    ///   - body: called for each object.
    package func netChanges(from: Int64, to: Int64, _ body: (NetChange) throws -> Void) throws {
        let low = min(from, to), high = max(from, to)
        guard low < high else { return }
        try read { db in
            let states = PastStates(db: db)
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT kind, id, owner, group_concat(DISTINCT list), sum(action <> 'update'), max(seq) AS last,
                      run, at FROM change WHERE seq > ? AND seq <= ? AND NOT \(ChangeLog.isForOthersOnly)
                    GROUP BY kind, owner, id ORDER BY \(kinds.order), owner, id
                    """, arguments: [low, high])
            while let row = try rows.next() {
                guard let object = ChangedObject(kind: row[0], id: row[1], owner: row[2], among: kinds)
                else { continue }
                func both(_ list: String?) throws -> (before: String?, after: String?) {
                    let early = try states.state(of: object, list, after: low)
                    let late = try states.state(of: object, list, after: high)
                    return from <= to ? (early, late) : (late, early)
                }
                let bodies = try both(nil)
                let touched = (row[3] as String?)?.split(separator: ",").map(String.init) ?? []
                let wasRecreated = row[4] != 0 && bodies.before != nil && bodies.after != nil
                let names = object.lists.map(\.rawValue).filter { wasRecreated || touched.contains($0) }
                let lists = try names.map { name in
                    let members = try both(name)
                    return (name: name, before: members.before, after: members.after)
                }
                try body(
                    NetChange(
                        object: object, before: bodies.before, after: bodies.after, lists: lists, run: row[6],
                        at: row[7]))
            }
        }
    }
}

extension Kinds {
    /// SQL: the position of a column `kind`'s kind in the order in which kinds refer to each other.
    var order: String {
        "CASE kind \(all.enumerated().map { "WHEN '\($1.name)' THEN \($0)" }.joined(separator: " ")) END"
    }
}
