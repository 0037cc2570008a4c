import GRDB

extension CatalogueStore {
    /// Changes that were logged, the newest first, as of one instant.
    ///
    /// They are read one after the other: memory stays flat however many there are.
    ///
    /// - Parameters:
    ///   - turn: called before the first change, and whenever the next one is of another run than the last; without a run
    ///     for what was done outside any, or by one that is no longer known.
    ///   - conflict: called for conflicts, each before the changes that were made with it.
    package func history(
        _ filter: ChangeFilter, turn: (LoggedRun?) throws -> Void = { _ in },
        conflict: (LoggedConflict) throws -> Void = { _ in },
        _ body: (LoggedChange) throws -> Void
    ) throws {
        try read { db in
            let states = PastStates(db: db)
            var conditions = ["NOT \(ChangeLog.isForOthersOnly)"], arguments: StatementArguments = []
            if let kind = filter.kind {
                // Without an id the rows are read from the newest on, not gathered by an index and sorted.
                conditions.append(filter.id == nil ? "+kind = ?" : "kind = ?")
                arguments += [kind.name]
            }
            if let id = filter.id {
                conditions.append("id = ?")
                arguments += [id]
            }
            if let since = filter.since {
                conditions.append("at >= ?")
                arguments += [since]
            }
            if let run = filter.run {
                conditions.append("run = ? AND seq >= (SELECT first_change FROM sync_log WHERE run = ?)")
                arguments += [run, run]
            }
            let rest = "WHERE \(conditions.joined(separator: " AND "))"
            let limit = filter.limit.map { "LIMIT \($0)" } ?? ""
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT seq, run, at, kind, id, owner, action, list, evidence,
                      CASE action WHEN 'delete' THEN json_extract(before, '$.body') ELSE before END
                    FROM change \(rest) ORDER BY seq DESC \(limit)
                    """, arguments: arguments)
            var last: Int64??
            func enter(_ run: Int64?) throws {
                guard last != .some(run) else { return }
                try turn(try run.flatMap { try Self.loggedRun($0, in: db) })
                last = .some(run)
            }
            var conflicts = try Self.conflicts(filter, in: db)[...]
            func tellConflicts(since time: String) throws {
                while let next = conflicts.first, next.at >= time {
                    conflicts.removeFirst()
                    try enter(next.run)
                    try conflict(next)
                }
            }
            while let row = try rows.next() {
                guard let object = ChangedObject(kind: row[3], id: row[4], owner: row[5]),
                    let action = LoggedChange.Action(rawValue: row[6])
                else { continue }
                let seq: Int64 = row[0], list: String? = row[7]
                let run: Int64? = row[1]
                try tellConflicts(since: row[2])
                try enter(run)
                let aspect = list.map(PastStates.Aspect.list) ?? .body
                try body(
                    LoggedChange(
                        seq: seq, run: run, at: row[2], object: object, action: action, list: list,
                        before: row[9],
                        after: action == .delete ? nil : try states.state(of: object, aspect, after: seq),
                        evidence: row[8]))
            }
            try tellConflicts(since: "")
        }
    }

    /// The last changes' number, by which a later look can tell whether there are new ones.
    package func lastChange() throws -> Int64 {
        try read { try Int64.fetchOne($0, sql: "SELECT max(seq) FROM change") ?? 0 }
    }
}
