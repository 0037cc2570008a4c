import Catalogue
import GRDB
import MirrorStore

/// Invariants 1 and 2: every deletion of a run is justified by the server's answers in that run. A run that the delete
/// guard stopped deletes nothing.
struct SweepCheck {
    let serverTranscript: ServerTranscript
    var isGuarded = false

    static func lastChange(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT coalesce(max(seq), 0) FROM change")) ?? 0
    }

    /// - Parameter after: the sequence number of the last change before the run.
    func violations(_ db: Database, after: Int64) throws -> [Violation] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT kind, id, evidence FROM change
                    WHERE seq > ? AND action = 'delete' AND evidence IS NOT NULL ORDER BY seq
                    """), arguments: [after])
        let isStopped = try isGuarded && Self.sweepsOnce(db)
        return rows.compactMap { row in
            guard let kind = Kinds.standard[row[0]] else { return nil }
            let evidence: String = row[2]
            if isStopped, evidence.hasPrefix("not in ") {
                return Violation(
                    .incompleteListsDeleteNothing,
                    "\(kind.name) \(row[1] as String) was deleted in a run that the guard stopped: \(evidence)"
                )
            }
            return violation(kind, row[1], evidence: evidence)
        }
    }

    /// Whether a run sweeps only once, at its end.
    ///
    /// Objects that no list contains but others refer to are fetched after the first sweep, and have a sweep of their own.
    /// The guard may stop that one after the first has succeeded.
    static func sweepsOnce(_ db: Database) throws -> Bool {
        let linked = ["location", "artist"].map { "EXISTS (SELECT 1 FROM \($0) WHERE linked = 1)" }
        return try Bool.fetchOne(db, sql: "SELECT \(linked.joined(separator: " OR "))") == false
    }

    func violation(_ kind: Kind, _ id: String, evidence: String) -> Violation? {
        if evidence.hasPrefix("deleted, says") {
            let isEvent = evidence.contains("/events")
            return serverTranscript.deleted[kind]?.contains(id) == true
                || isEvent && serverTranscript.deletedBefore[kind]?.contains(id) == true
                ? nil
                : Violation(
                    .incompleteListsDeleteNothing,
                    "\(kind.name) \(id) was deleted, but the server reported no deletion: \(evidence)")
        }
        if let from = evidence.firstRange(of: " from "), Int(evidence[..<from.lowerBound]) != nil {
            let path = String(evidence[from.upperBound...])
            return serverTranscript.missing.contains(path) || serverTranscript.refused.contains(path)
                ? nil
                : Violation(
                    .incompleteListsDeleteNothing,
                    "\(kind.name) \(id) was deleted, but the server never answered that it is missing or forbidden: \(evidence)"
                )
        }
        guard evidence.hasPrefix("not in ") else { return nil }
        let list = String(evidence.dropFirst("not in ".count).prefix { $0 != "?" && $0 != ";" })
        guard let named = serverTranscript.lists[list], named.contains(where: \.isComplete) else {
            return Violation(
                .incompleteListsDeleteNothing,
                "\(kind.name) \(id) was deleted because of \(list), which was not complete in that run.")
        }
        guard named.allSatisfy({ $0.contains(id) }) else { return nil }
        return Violation(.listedObjectsAreMarked, "\(kind.name) \(id) was deleted, but \(list) contains it.")
    }
}
