import GRDB
import MirrorStore
import PartnerAPI

/// Invariant 4: whoever reads, at any time, finds with each object all that its JSON says is a part of it.
struct ReaderCheck {
    func violations(_ db: Database) throws -> [Violation] {
        var found: [Violation] = []
        for (kind, parts) in Self.parts {
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql:
                        "SELECT id, json, \(parts.map(\.count).joined(separator: ", ")) FROM \"\(kind.rawValue)\" o WHERE ghost = 0"
                ))
            for row in rows {
                let id: String = row[0]
                guard let text: String = row[1] else {
                    found.append(Violation(.readersSeeWholeObjects, "\(kind.rawValue) \(id) has no body."))
                    continue
                }
                guard case .object(let object)? = try? JSONValue(parsing: text) else { continue }
                for (place, part) in parts.enumerated() {
                    var there = 0
                    if case .array(let elements)? = object[part.field] { there = elements.count }
                    let here: Int = row[2 + place]
                    if here != there {
                        found.append(
                            Violation(
                                .readersSeeWholeObjects,
                                "\(kind.rawValue) \(id) is read with \(here) of its \(there) \(part.field)."))
                    }
                }
            }
        }
        return found
    }

    private static let parts: [(ObjectKind, [(field: String, count: String)])] = [
        (
            .artwork,
            [
                ("artists", "(SELECT count(*) FROM artwork_artist j WHERE j.artwork_id = o.id)"),
                ("images", "(SELECT count(*) FROM image i WHERE i.artwork_id = o.id)"),
                ("edition_sets", "(SELECT count(*) FROM edition_set e WHERE e.artwork_id = o.id)"),
            ]
        ),
        (.show, [("artists", "(SELECT count(*) FROM show_artist j WHERE j.show_id = o.id)")]),
    ]
}
