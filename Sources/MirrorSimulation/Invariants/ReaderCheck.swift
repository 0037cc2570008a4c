import Catalogue
import GRDB
import MirrorStore

/// Invariant 4: a reader finds with each object, at any time, all the parts that the object's JSON contains.
struct ReaderCheck {
    func violations(_ db: Database) throws -> [Violation] {
        try Self.queries.flatMap { kind, parts, sql in
            try Row.fetchAll(db.cachedStatement(sql: sql)).flatMap { Self.violations(kind, parts, $0) }
        }
    }

    /// The violations of an object that is incomplete.
    private static func violations(_ kind: Kind, _ parts: [Part], _ row: Row) -> [Violation] {
        let name = "\(kind.name) \(row[0] as String)"
        guard row[1] else { return [Violation(.readersSeeCompleteObjects, "\(name) has no body.")] }
        return parts.enumerated().compactMap { index, part in
            let expected: Int = row[2 + 2 * index], stored: Int = row[3 + 2 * index]
            return stored == expected
                ? nil
                : Violation(
                    .readersSeeCompleteObjects,
                    "\(name) is read with \(stored) of its \(expected) \(part.field).")
        }
    }

    private struct Part: Sendable {
        let field: String
        /// SQL for the number of rows that are stored.
        let count: String
    }

    /// Selects the incomplete objects: the id, whether there is a body, and for each part the expected and the stored
    /// number.
    private static let queries: [(Kind, [Part], sql: String)] = parts.map { kind, parts in
        let pairs = parts.map {
            (expected: "coalesce(json_array_length(json, '$.\($0.field)'), 0)", stored: $0.count)
        }
        let columns = pairs.map { "\($0.expected), \($0.stored)" }.joined(separator: ", ")
        let mismatches = pairs.map { "\($0.expected) <> \($0.stored)" }.joined(separator: " OR ")
        return (
            kind, parts,
            """
            SELECT id, json IS NOT NULL, \(columns) FROM "\(kind.name)" o
            WHERE ghost = 0 AND (json IS NULL OR \(mismatches))
            """
        )
    }

    private static let parts: [(Kind, [Part])] = [
        (
            .artwork,
            [
                Part(
                    field: "artists",
                    count: "(SELECT count(*) FROM artwork_artist j WHERE j.artwork_id = o.id)"),
                Part(field: "images", count: "(SELECT count(*) FROM image i WHERE i.artwork_id = o.id)"),
                Part(
                    field: "edition_sets",
                    count: "(SELECT count(*) FROM edition_set e WHERE e.artwork_id = o.id)"),
            ]
        ),
        (
            .show,
            [
                Part(
                    field: "artists", count: "(SELECT count(*) FROM show_artist j WHERE j.show_id = o.id)")
            ]
        ),
    ]
}
