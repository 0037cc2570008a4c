import Catalogue
import GRDB

/// Objects that the lists of a described source contain, although the server doesn't have them.
///
/// They are no defects: the server may have them later. They are requested again after a day.
extension CatalogueStore {
    /// Objects of a kind that aren't stored, and that the server didn't have in the last 24 hours.
    package func recentlyAbsent(_ kind: Kind) throws -> Set<ExactText> {
        try absent(kind, "AND t.tried_at > ? AND t.tried_at <= ?", lastDay)
    }

    /// Objects of a kind that aren't stored, and that the server didn't have when they were last requested.
    package func absent(_ kind: Kind) throws -> Set<ExactText> { try absent(kind, "") }

    private func absent(
        _ kind: Kind, _ condition: String, _ arguments: StatementArguments = []
    ) throws -> Set<ExactText> {
        try read { db in
            try db.ids(
                """
                SELECT t.id FROM ghost_try t WHERE t.kind = ? AND t.absent = 1 \(condition)
                  AND NOT EXISTS (SELECT 1 FROM "\(kind.table)" o WHERE o.id = t.id AND o.ghost = 0)
                """, [kind.name] + arguments)
        }
    }

    /// The number of objects of each kind that the last complete list contains, and that the server didn't have when they were
    /// last requested. Kinds without such objects are left out.
    package func absentCounts() throws -> [Kind: Int] {
        try read { db in
            var counts: [Kind: Int] = [:]
            for kind in kinds.listed {
                let count = try db.number(
                    """
                    SELECT count(*) FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                    LEFT JOIN "\(kind.table)" o ON o.id = m.id
                    WHERE l.owner_kind = 'partner' AND l.complete = 1 AND l.name = ? AND (o.id IS NULL OR o.ghost)
                      AND \(DefectSQL.isAbsentAtSource(kind))
                    """, [kind.plural])
                if let count, count > 0 { counts[kind] = count }
            }
            return counts
        }
    }
}
