import Catalogue
import GRDB
import MirrorStore

/// Invariant 4: whoever reads, at any time, finds with each object all that its JSON says is a part of it.
struct ReaderCheck {
    func violations(_ db: Database) throws -> [Violation] {
        try Self.questions.flatMap { kind, parts, sql in
            try Row.fetchAll(db.cachedStatement(sql: sql)).flatMap { Self.violations(kind, parts, $0) }
        }
    }

    /// What is wrong with an object that is not whole.
    private static func violations(_ kind: Kind, _ parts: [Part], _ row: Row) -> [Violation] {
        let name = "\(kind.name) \(row[0] as String)"
        guard row[1] else { return [Violation(.readersSeeWholeObjects, "\(name) has no body.")] }
        return parts.enumerated().compactMap { place, part in
            let there: Int = row[2 + 2 * place], here: Int = row[3 + 2 * place]
            return here == there
                ? nil
                : Violation(
                    .readersSeeWholeObjects, "\(name) is read with \(here) of its \(there) \(part.field).")
        }
    }

    private struct Part: Sendable {
        let field: String
        /// How many there are.
        let count: String
    }

    /// Asks for the objects that are not whole: id, whether there is a body, of each part how many there are to be and are.
    private static let questions: [(Kind, [Part], sql: String)] = parts.map { kind, parts in
        let pairs = parts.map {
            (there: "coalesce(json_array_length(json, '$.\($0.field)'), 0)", here: $0.count)
        }
        let columns = pairs.map { "\($0.there), \($0.here)" }.joined(separator: ", ")
        let lacks = pairs.map { "\($0.there) <> \($0.here)" }.joined(separator: " OR ")
        return (
            kind, parts,
            """
            SELECT id, json IS NOT NULL, \(columns) FROM "\(kind.name)" o
            WHERE ghost = 0 AND (json IS NULL OR \(lacks))
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
