import Catalogue
import GRDB

/// What became of one object between two moments, whatever happened to it meanwhile.
package struct NetChange: Sendable {
    package let object: ChangedObject
    /// The object's JSON at either moment; `nil` if it wasn't there.
    package let before: String?
    package let after: String?
    /// Lists under it that were touched, with their members as JSON.
    package let lists: [(name: String, before: String?, after: String?)]
    /// The last run that changed it meanwhile, and when.
    package let run: Int64?
    package let at: String
}

extension CatalogueStore {
    /// The change that was the last when a run ended: what a later one did isn't part of what the run left.
    ///
    /// - Returns: `nil` for a run that isn't known (any more); 0 for run 0, before which there was nothing.
    package func lastChange(ofRun run: Int64) throws -> Int64? {
        if run == 0 { return 0 }
        return try read { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT coalesce((SELECT max(c.seq) FROM change c WHERE c.run = l.run AND c.seq >= l.first_change
                      AND c.seq < coalesce((SELECT n.first_change FROM sync_log n WHERE n.run > l.run
                        ORDER BY n.run LIMIT 1), 9223372036854775807)), l.first_change - 1)
                    FROM sync_log l WHERE l.run = ?
                    """, arguments: [run])
        }
    }

    /// Net changes between two moments, kind by kind, in the order of ids, as of one instant.
    ///
    /// An object that was touched and ended as it began is handed on too: whether JSON texts say the same is for who
    /// reads JSON.
    ///
    /// - Parameters:
    ///   - from: the number of the last change before the first moment.
    ///   - to: that of the second; if it is the smaller one, everything is the other way round.
    package func netChanges(from: Int64, to: Int64, _ body: (NetChange) throws -> Void) throws {
        let low = min(from, to), high = max(from, to)
        guard low < high else { return }
        try read { db in
            let states = PastStates(db: db)
            let order = Kinds.standard.all.enumerated().map { "WHEN '\($1.name)' THEN \($0)" }
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT kind, id, owner, group_concat(DISTINCT list), sum(action <> 'update'), max(seq) AS last,
                      run, at FROM change WHERE seq > ? AND seq <= ? AND NOT \(ChangeLog.isForOthersOnly)
                    GROUP BY kind, owner, id
                    ORDER BY CASE kind \(order.joined(separator: " ")) END, owner, id
                    """, arguments: [low, high])
            while let row = try rows.next() {
                guard let object = ChangedObject(kind: row[0], id: row[1], owner: row[2]) else { continue }
                func both(_ aspect: PastStates.Aspect) throws -> (before: String?, after: String?) {
                    let early = try states.state(of: object, aspect, after: low)
                    let late = try states.state(of: object, aspect, after: high)
                    return from <= to ? (early, late) : (late, early)
                }
                let bodies = try both(.body)
                let touched = (row[3] as String?)?.split(separator: ",").map(String.init) ?? []
                let isReborn = row[4] != 0 && bodies.before != nil && bodies.after != nil
                let lists = try object.lists.filter { isReborn || touched.contains($0) }.map { name in
                    let members = try both(.list(name))
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
