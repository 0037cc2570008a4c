import GRDB
import MirrorStore

/// Invariants 1 and 2: what a run swept, against what the server said in that run.
struct SweepCheck {
    let said: Said

    static func lastChange(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT coalesce(max(seq), 0) FROM change")) ?? 0
    }

    /// - Parameter after: the last change that was there before the run.
    func violations(_ db: Database, after: Int64) throws -> [Violation] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT kind, id, evidence FROM change
                    WHERE seq > ? AND action = 'delete' AND evidence IS NOT NULL ORDER BY seq
                    """), arguments: [after])
        return rows.compactMap { row in
            guard let kind = ObjectKind(rawValue: row[0]) else { return nil }
            return violation(kind, row[1], evidence: row[2])
        }
    }

    func violation(_ kind: ObjectKind, _ id: String, evidence: String) -> Violation? {
        if evidence.hasPrefix("deleted, says") {
            let isEvent = evidence.contains("/events")
            return said.gone[kind]?.contains(id) == true
                || isEvent && said.goneBefore[kind]?.contains(id) == true
                ? nil
                : Violation(
                    .incompleteListsDeleteNothing,
                    "\(kind.rawValue) \(id) went, and nobody said so: \(evidence)")
        }
        if let from = evidence.firstRange(of: " from "), Int(evidence[..<from.lowerBound]) != nil {
            let path = String(evidence[from.upperBound...])
            return said.missing.contains(path) || said.refused.contains(path)
                ? nil
                : Violation(
                    .incompleteListsDeleteNothing,
                    "\(kind.rawValue) \(id) went, and nobody said that it is not there, or not shown: \(evidence)"
                )
        }
        guard evidence.hasPrefix("not in ") else { return nil }
        let list = String(evidence.dropFirst("not in ".count).prefix { $0 != "?" && $0 != ";" })
        guard let named = said.lists[list], !named.isEmpty else {
            return Violation(
                .incompleteListsDeleteNothing,
                "\(kind.rawValue) \(id) went for \(list), which did not come whole in that run.")
        }
        guard named.allSatisfy({ $0.contains(id) }) else { return nil }
        return Violation(.listedIsMarked, "\(kind.rawValue) \(id) went though \(list) names it.")
    }
}
